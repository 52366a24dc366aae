import type { Content } from '../../../../storage/content.ts'
import { posts, users } from '../../../../storage/content-tables.ts'
import { insertPosts, preparePost, surroundingsOfAll } from '../../../posts/insert-posts.ts'
import { type NewPost, type PostCounts, repostText } from '../../../posts/new-post.ts'
import type { RepostSeed } from '../content-words.ts'
import { takenId } from '../seed-adder.ts'
import { missingObjects } from './add-objects.ts'
import { createContentIds, createdAtOf } from './content-ids.ts'
import type { ContentLoad } from './content-load.ts'
import type { SeedObject } from './content-objects.ts'
import { isCounter } from './said-fields.ts'

/** Posts in an order in which none comes before the one that it replies to or reposts. */
function parentsFirst(objects: readonly SeedObject[]): SeedObject[] {
  const byKey = new Map(objects.map((object) => [object.key, object]))
  const ordered = new Set<SeedObject>()
  for (const object of objects) {
    const waiting: SeedObject[] = []
    const seen = new Set<SeedObject>()
    for (let next: SeedObject | undefined = object; next && !ordered.has(next) && !seen.has(next); ) {
      seen.add(next)
      waiting.push(next)
      next = byKey.get((next.values.replied_to_id ?? next.values.reposted_id) as string)
    }
    for (const post of waiting.reverse()) ordered.add(post)
  }
  return [...ordered]
}

const orNone = <T>(value: unknown) => (value ?? undefined) as T | undefined

function newPost({ key, values }: SeedObject, nowMs: number): NewPost {
  const counts = Object.fromEntries(Object.entries(values).filter(([column]) => isCounter(column)))
  return {
    id: key,
    authorId: values.author_id as string,
    text: values.text as string,
    createdAtMs: createdAtOf(key, values.created_at_ms, nowMs),
    counts: counts as PostCounts,
    lang: orNone<string>(values.lang),
    source: orNone<string>(values.source),
    replySettings: orNone<string>(values.reply_settings),
    possiblySensitive: orNone<boolean>(values.possibly_sensitive),
    nullcast: orNone<boolean>(values.nullcast),
    hidden: orNone<boolean>(values.hidden),
    restriction: orNone<string>(values.restriction),
    repliedToId: orNone<string>(values.replied_to_id),
    quotedId: orNone<string>(values.quoted_id),
    repostedId: orNone<string>(values.reposted_id),
    mediaKeys: orNone<string[]>(values.media_keys),
    pollId: orNone<string>(values.poll_id),
    placeId: orNone<string>(values.place_id),
    more: orNone<Record<string, unknown>>(values.more),
  }
}

/** Stores posts with their terms and counters; answers the ids of those that were not taken. */
async function store(load: ContentLoad, newPosts: readonly NewPost[]): Promise<Set<string>> {
  const surroundings = await surroundingsOfAll(newPosts, load.content)
  const prepared = newPosts.map((post, place) => preparePost(post, surroundings[place]!))
  return load.content.change((transaction) => insertPosts(load.counting(transaction), prepared))
}

/** Adds the posts of a seed. */
export const addPosts = (load: ContentLoad, objects: readonly SeedObject[]): Promise<void> =>
  load.inBatches(parentsFirst(objects), async (batch) => {
    const missing = await missingObjects(load, 'posts', batch)
    if (missing.length === 0) return
    for (const { key, values } of missing) load.created(posts, key, values)
    const inserted = await store(
      load,
      missing.map((object) => newPost(object, load.services.now())),
    )
    for (const { key } of missing) {
      if (!inserted.has(key)) throw takenId('posts', 'id', key)
      load.report('posts', { id: key })
    }
  })

type IdentifiedRepost = RepostSeed & { key: string }

const keyOf = ({ user_id, post_id }: RepostSeed) => `${user_id}:${BigInt(post_id)}`

/** The reposts of a batch that exist already: a user reposts a post once. */
async function existingReposts(content: Pick<Content, 'rows'>, batch: readonly RepostSeed[]): Promise<Set<string>> {
  const rows = await content.rows(posts, ['author_id', 'reposted_id'], [...new Set(batch.map(({ post_id }) => post_id))], 'reposted_id')
  return new Set(rows.map(([author, post]) => `${author}:${post}`))
}

/** Reposts as posts: their text begins with the username of the author (public practice). */
async function repostsOf(load: ContentLoad, batch: readonly IdentifiedRepost[]): Promise<NewPost[]> {
  const { content, services } = load
  const columns = ['id', 'author_id', 'text', 'lang'] as const
  const originals = new Map(
    (await content.rows(posts, columns, [...new Set(batch.map(({ post_id }) => post_id))])).map((row) => [row[0], row]),
  )
  const authors = new Set([...originals.values()].map((row) => row[1] as string))
  const usernames = new Map((await content.rows(users, ['id', 'username'], [...authors])).map(([id, name]) => [id, name]))
  return batch.map(({ key, user_id, post_id, created_at }) => {
    const [id, authorId, text, lang] = originals.get(String(BigInt(post_id))) as string[]
    const createdAtMs = createdAtOf(key, created_at && Date.parse(created_at), services.now())
    return { id: key, authorId: user_id, text: repostText(usernames.get(authorId!) as string, text!), lang, createdAtMs, repostedId: id }
  })
}

/** Adds the reposts of a seed. */
export async function addReposts(load: ContentLoad, reposts: readonly RepostSeed[]): Promise<void> {
  const idOf = createContentIds('reposts')
  await load.inBatches(reposts, async (batch) => {
    const existing = await existingReposts(load.content, batch)
    const missing = new Map<string, IdentifiedRepost>()
    for (const repost of batch) {
      const name = keyOf(repost)
      const derived = repost.created_at === undefined ? load.services.ids.next() : idOf(repost, 'posts')
      if (existing.has(name)) load.report('reposts', { id: name, differing: [] })
      else missing.set(name, { ...repost, key: repost.id === undefined ? derived : String(BigInt(repost.id)) })
    }
    if (missing.size === 0) return
    const inserted = await store(load, await repostsOf(load, [...missing.values()]))
    for (const [name, { key }] of missing) {
      if (!inserted.has(key)) throw takenId('reposts', 'id', key)
      load.report('reposts', { id: name })
    }
  })
}
