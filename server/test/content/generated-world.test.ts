import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { Client } from 'pg'
import { pino } from 'pino'
import { generatePosts } from '../../scripts/world/generate-posts.ts'
import { generateUsers } from '../../scripts/world/generate-users.ts'
import { writeWorld } from '../../scripts/world/write-world.ts'
import { recordTypes } from '../../src/endpoints/index.ts'
import { surroundingsOf } from '../../src/endpoints/posts/insert-posts.ts'
import { insertPost } from '../../src/endpoints/posts/new-post.ts'
import { createClock } from '../../src/lib/clock.ts'
import { createSeal } from '../../src/lib/seal.ts'
import type { Content } from '../../src/storage/content.ts'
import { media, posts, users } from '../../src/storage/content-tables.ts'
import { openDatabase } from '../../src/storage/open-database.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { type Flavour, migratedDatabase } from '../stage/database.ts'
import { databasesOf } from '../stage/databases.ts'
import { SECRET } from '../stage/postern.ts'

const UNTIL = Date.parse('2026-11-01T00:00:00.000Z')
const world = { users: 30, posts: 400, random: 5, untilMs: UNTIL }

async function withStorage(url: string, use: (storage: Storage) => Promise<void>) {
  const database = await openDatabase({
    url,
    clock: createClock(),
    seal: createSeal([SECRET]),
    recordTypes,
    logger: pino({ level: 'silent' }),
  })
  try {
    await use(database.storage)
  } finally {
    await database.close()
  }
}

const TABLES = {
  users: 'id',
  profiles: 'user_id',
  posts: 'id',
  post_terms: 'term, post_id',
  media: 'media_key',
  relations: 'relation, source, target',
}
type Rows = Record<string, unknown>[]

/** All rows of a table, with numbers of 64 bits as texts and flags as numbers. */
async function rowsOf(flavour: Flavour, url: string, table: string, order: string): Promise<Rows> {
  const query = `select * from ${table} order by ${order}`
  const plain = (value: unknown) => (typeof value === 'bigint' || typeof value === 'number' ? String(value) : value)
  const read = async (): Promise<Rows> => {
    if (flavour === 'sqlite') {
      const file = new DatabaseSync(url.slice('sqlite:'.length), { readOnly: true })
      const statement = file.prepare(query)
      statement.setReadBigInts(true)
      const rows = statement.all()
      file.close()
      return rows
    }
    const client = new Client({ connectionString: url })
    await client.connect()
    const { rows } = await client.query(query)
    await client.end()
    return rows
  }
  return (await read()).map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(value)])))
}

/** Writes the world as requests would: one user, post, follow and like after the other. */
async function writeOneByOne({ content, users: userStore }: Storage) {
  const { users: people, follows } = generateUsers(world)
  for (const { id, username, name, createdAtMs, description, location, isVerified, isProtected } of people) {
    await userStore.insert({ id, username, name, passwordHash: null, disabled: false, createdAtMs })
    const profile = { description, location, verified: isVerified, verified_type: isVerified ? 'blue' : '', protected: isProtected }
    await content.change((transaction) => transaction.update(users, id, profile))
  }
  for (const { source, target, position } of follows)
    await content.change(async (transaction) => {
      const [from, to] = [people[source]!.id, people[target]!.id]
      await transaction.relate({ relation: 'follow', source: from, target: to }, position)
      transaction.count(users, from, 'following_count', 1)
      transaction.count(users, to, 'followers_count', 1)
    })
  for (const block of generatePosts(world, people)) {
    for (const { mediaKey, ownerId, createdAtMs } of block.media) await insertMedia(content, mediaKey, ownerId, createdAtMs)
    for (const { post, likedBy } of block.posts) {
      const { counts: _, ...uncounted } = post
      const surroundings = await surroundingsOf(uncounted, content)
      await content.change(async (transaction) => {
        assert.ok(await insertPost(transaction, uncounted, surroundings))
        await transaction.update(users, post.authorId, { most_recent_post_id: post.id })
      })
      for (const place of likedBy)
        await content.change(async (transaction) => {
          await transaction.relate({ relation: 'like', source: people[place]!.id, target: post.id }, '1')
          transaction.count(users, people[place]!.id, 'like_count', 1)
          transaction.count(posts, post.id, 'like_count', 1)
        })
    }
  }
}

const insertMedia = (content: Content, media_key: string, owner_id: string, created_at_ms: number) =>
  content.change(async (transaction) => {
    const url = `https://example.com/media/${media_key}.jpg`
    await transaction.insert(media, { media_key, owner_id, type: 'photo', url, width: 1200, height: 800, created_at_ms, view_count: 0 })
  })

/** Likes have the time of the post in the generator, and here none: all else of them is the same. */
const withoutPositions = (rows: Rows) => rows.map(({ position: _, ...row }) => row)

for (const flavour of databasesOf(import.meta))
  test(`a generated world has the rows that the store writes for the same posts one by one (${flavour})`, async () => {
    await using bulk = await migratedDatabase(flavour)
    await using single = await migratedDatabase(flavour)
    await withStorage(bulk.url, ({ content }) => writeWorld(content, world))
    await withStorage(single.url, writeOneByOne)
    for (const [table, order] of Object.entries(TABLES)) {
      const [written, expected] = [await rowsOf(flavour, bulk.url, table, order), await rowsOf(flavour, single.url, table, order)]
      assert.ok(written.length > 20, `${table}: ${written.length} rows`)
      const compared = table === 'relations' ? withoutPositions : (rows: Rows) => rows
      assert.deepEqual(compared(written), compared(expected), table)
    }
    const relations = await rowsOf(flavour, bulk.url, 'relations', 'relation, source, target')
    const likes = relations.filter(({ relation }) => relation === 'like')
    assert.equal(
      new Set(likes.map(({ source, position }) => `${source} ${position}`)).size,
      likes.length,
      'positions in the list of a user',
    )
    assert.equal(
      new Set(likes.map(({ target, position }) => `${target} ${position}`)).size,
      likes.length,
      'positions in the list of a post',
    )
  })

test('the same numbers make the same world, and another number another one', async () => {
  const textsOf = (options: typeof world) => [...generatePosts(options, generateUsers(options).users)].flatMap((block) => block.posts)
  assert.deepEqual(textsOf(world), textsOf({ ...world }))
  assert.notDeepEqual(textsOf({ ...world, random: 6 })[0]!.post.text, textsOf(world)[0]!.post.text)
})

test('posts of a world are as of people: ids and times grow up to the end, and there is one of every kind', async () => {
  const found = [...generatePosts({ ...world, posts: 12_000 }, generateUsers(world).users)].flatMap((block) => block.posts)
  assert.equal(found.length, 12_000)
  for (const [place, { post }] of found.entries()) {
    assert.ok(post.text.length > 0)
    if (place === 0) continue
    const before = found[place - 1]!.post
    assert.ok(BigInt(before.id) < BigInt(post.id) && before.createdAtMs <= post.createdAtMs, `post ${place}`)
  }
  assert.equal(found.at(-1)!.post.createdAtMs, UNTIL)
  const share = (is: (one: (typeof found)[number]) => unknown) => found.filter(is).length / found.length
  const shares = [
    share(({ post }) => post.repliedToId),
    share(({ post }) => post.quotedId),
    share(({ post }) => post.repostedId),
    share(({ post }) => post.mediaKeys),
    share(({ surroundings }) => surroundings.entities!.hashtags.length),
    share(({ surroundings }) => surroundings.mentioned.size),
  ]
  for (const one of shares) assert.ok(one > 0.02 && one < 0.7, shares.join())
  const words = new Map<string, number>()
  for (const { post } of found) for (const word of post.text.split(/\W+/)) words.set(word, (words.get(word) ?? 0) + 1)
  const counts = [...words.values()].sort((one, other) => other - one)
  assert.ok(counts[0]! > 20 * counts[200]!, 'the most frequent word is far more frequent than the 200th')
})

test('a world whose users exist is refused', async () => {
  await using database = await migratedDatabase('sqlite')
  const small = { ...world, posts: 10 }
  await withStorage(database.url, async ({ content }) => {
    await writeWorld(content, small)
    await assert.rejects(writeWorld(content, small), /exist already: choose another number for --random/)
  })
})
