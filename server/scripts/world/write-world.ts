import { mediaOf, rowOf, termsOfPost } from '../../src/endpoints/posts/new-post.ts'
import { publicId, sequenceAt } from '../../src/lib/ids.ts'
import type { Content, ContentTransaction, NewRelation } from '../../src/storage/content.ts'
import { EMPTY_PROFILE, media, posts, profiles, userAccounts, users as usersTable } from '../../src/storage/content-tables.ts'
import { type Block, generatePosts } from './generate-posts.ts'
import { type GeneratedFollow, type GeneratedUser, generateUsers, type WorldOptions } from './generate-users.ts'
import { TermIndex } from './term-index.ts'

/** What of users is known only when all posts are. */
interface Tally {
  posts: Uint32Array
  media: Uint32Array
  likes: Uint32Array
  newest: (string | undefined)[]
}

/** Rows of one transaction. */
const ROWS = 10_000

async function inSlices<T>(items: readonly T[], write: (slice: readonly T[]) => Promise<unknown>) {
  for (let from = 0; from < items.length; from += ROWS) await write(items.slice(from, from + ROWS))
}

/** Inserts rows. Throws if one of their keys is taken: by an earlier run, most often. */
async function insertNew(transaction: ContentTransaction, table: Parameters<ContentTransaction['insertAll']>[0], rows: readonly object[]) {
  const inserted = await transaction.insertAll(table, rows as Record<string, unknown>[])
  if (inserted.length !== rows.length)
    throw new Error(`${rows.length - inserted.length} of the ${table.name} exist already: choose another number for --random`)
}

async function writeUsers(content: Content, users: readonly GeneratedUser[], follows: readonly GeneratedFollow[]) {
  const [followers, following] = [new Uint32Array(users.length), new Uint32Array(users.length)]
  for (const { source, target } of follows) {
    following[source]! += 1
    followers[target]! += 1
  }
  const account = ({ id, username, name, createdAtMs }: GeneratedUser) => ({
    id,
    username,
    username_key: username.toLowerCase(),
    name,
    password_hash: null,
    disabled: false,
    created_at_ms: createdAtMs,
  })
  const profile = (user: GeneratedUser, place: number) => ({
    ...EMPTY_PROFILE,
    user_id: user.id,
    description: user.description,
    location: user.location,
    verified: user.isVerified,
    verified_type: user.isVerified ? 'blue' : '',
    protected: user.isProtected,
    followers_count: followers[place]!,
    following_count: following[place]!,
  })
  const profileRows = users.map(profile)
  for (let from = 0; from < users.length; from += ROWS)
    await content.change(async (transaction) => {
      await insertNew(transaction, userAccounts, users.slice(from, from + ROWS).map(account))
      await insertNew(transaction, profiles, profileRows.slice(from, from + ROWS))
    })
  const relation = ({ source, target, position }: GeneratedFollow): NewRelation => ({
    relation: 'follow',
    source: users[source]!.id,
    target: users[target]!.id,
    position,
  })
  await inSlices(follows, (slice) => content.change((transaction) => transaction.relateAll(slice.map(relation))))
}

const mediaRow = ({ mediaKey, ownerId, createdAtMs }: Block['media'][number]) => ({
  media_key: mediaKey,
  owner_id: ownerId,
  type: 'photo',
  url: `https://example.com/media/${mediaKey}.jpg`,
  preview_image_url: null,
  alt_text: null,
  width: 1200,
  height: 800,
  duration_ms: null,
  variants: null,
  created_at_ms: createdAtMs,
  view_count: 0,
  more: null,
})

/** The likes of a block, in the order of their users: neighbours in the index. */
function likesOf({ posts: generated }: Block, users: readonly GeneratedUser[]): NewRelation[] {
  let count = 0
  const likes = generated.flatMap(({ post, likedBy }) =>
    likedBy.map((user): NewRelation => {
      count += 1
      const position = publicId(sequenceAt(post.createdAtMs) + 1 + (count % 4000), count % 1024)
      return { relation: 'like', source: users[user]!.id, target: post.id, position }
    }),
  )
  return likes.sort((one, other) => (one.source < other.source ? -1 : one.source > other.source ? 1 : 0))
}

function tallyBlock({ posts: generated }: Block, tally: Tally) {
  for (const { post, author, likedBy } of generated) {
    tally.posts[author]! += 1
    if (post.mediaKeys?.length) tally.media[author]! += 1
    tally.newest[author] = post.id
    for (const user of likedBy) tally.likes[user]! += 1
  }
}

async function writeTally(
  content: Content,
  users: readonly GeneratedUser[],
  { posts: postCounts, media: mediaCounts, likes, newest }: Tally,
) {
  const places = users.map((_, place) => place)
  await inSlices(places, (slice) =>
    content.change(async (transaction) => {
      for (const place of slice) {
        const { id } = users[place]!
        if (postCounts[place]) transaction.count(usersTable, id, 'post_count', postCounts[place])
        if (mediaCounts[place]) transaction.count(usersTable, id, 'media_count', mediaCounts[place])
        if (likes[place]) transaction.count(usersTable, id, 'like_count', likes[place])
        if (newest[place] !== undefined) transaction.raise(usersTable, id, 'most_recent_post_id', newest[place])
      }
    }),
  )
}

/** Terms of so many posts are held in memory and written in the order of the index: in fewer parts each page is written more rarely. */
const INDEXED = 250_000

/** Writes a world straight into the database, as the store would have written its users, posts, follows and likes one by one. */
export async function writeWorld(content: Content, options: WorldOptions, progress: (posts: number) => void = () => {}): Promise<void> {
  const { users, follows } = generateUsers(options)
  await writeUsers(content, users, follows)
  const tally: Tally = {
    posts: new Uint32Array(users.length),
    media: new Uint32Array(users.length),
    likes: new Uint32Array(users.length),
    newest: [],
  }
  const terms = new TermIndex()
  const writeTerms = async () => {
    for (const pairs of terms.slices(ROWS * 5)) await content.change((transaction) => transaction.addAllTerms(pairs))
    terms.clear()
  }
  let written = 0
  for (const block of generatePosts(options, users)) {
    const rows = block.posts.map(({ post, surroundings }) => rowOf(post, surroundings))
    for (const { post, surroundings } of block.posts) terms.add(post.id, termsOfPost(post, surroundings))
    const likes = likesOf(block, users)
    await content.change(async (transaction) => {
      await insertNew(transaction, media, block.media.map(mediaRow))
      await insertNew(transaction, posts, rows)
      await transaction.relateAll(likes)
      await transaction.relateAll(block.posts.flatMap(({ post }) => mediaOf(post)))
    })
    tallyBlock(block, tally)
    written += block.posts.length
    if (terms.posts >= INDEXED) await writeTerms()
    progress(written)
  }
  await writeTerms()
  await writeTally(content, users, tally)
}
