import type { NewPost, Surroundings } from '../../src/endpoints/posts/new-post.ts'
import { publicId, sequenceAt } from '../../src/lib/ids.ts'
import { entitiesOf } from '../../src/lib/post-text/entities.ts'
import { HOUR_MS } from '../../src/lib/time.ts'
import type { GeneratedUser, WorldOptions } from './generate-users.ts'
import { createZipf, Random } from './random.ts'
import { hashtagOf, sentenceOf, wordOf } from './vocabulary.ts'

/** A post, with what it is stored with, and the places of the users who like it. */
export interface GeneratedPost {
  post: NewPost
  surroundings: Surroundings
  author: number
  likedBy: number[]
}

export interface GeneratedMedia {
  mediaKey: string
  ownerId: string
  createdAtMs: number
}

/** Posts refer to posts of the same block, so that a block is complete: its counters are known before it is stored. */
export const BLOCK = 10_000

const SPAN_MS = 30 * 24 * HOUR_MS
/** A post refers to one of so many before it. */
const NEAR = 400
const LIKES = 0.5

const SHARES = { reply: 0.2, quote: 0.05, repost: 0.08, media: 0.1, hashtag: 0.25, mention: 0.08, link: 0.1 }

export interface Block {
  posts: GeneratedPost[]
  media: GeneratedMedia[]
}

interface Counts {
  reply_count: number
  quote_count: number
  repost_count: number
  like_count: number
}

/** Generates blocks of posts, in the order of their times. */
export function* generatePosts(options: WorldOptions, users: readonly GeneratedUser[]): Generator<Block> {
  const { posts: count, untilMs, random: seed } = options
  const random = new Random(seed ^ 0x9e3779b9)
  const active = createZipf(users.length)
  const stepMs = Math.max(1, Math.floor(SPAN_MS / count))
  const usernames = new Map(users.map(({ username, id }) => [username, id]))

  const generate = (index: number, block: Block): GeneratedPost => {
    // Times grow by at least one millisecond from post to post, and the last one is at the end.
    const createdAtMs = untilMs - (count - 1 - index) * stepMs - (index === count - 1 || stepMs === 1 ? 0 : random.below(stepMs))
    const id = publicId(sequenceAt(createdAtMs), seed & 0x3ff)
    const author = active(random)
    const near = block.posts.length > 0 ? block.posts[block.posts.length - 1 - random.below(Math.min(NEAR, block.posts.length))] : undefined
    const kind = random.next()
    const post: NewPost & { counts: Counts } = {
      id,
      authorId: users[author]!.id,
      text: '',
      createdAtMs,
      lang: random.chance(0.9) ? 'en' : 'und',
      source: 'Generator',
      counts: { reply_count: 0, quote_count: 0, repost_count: 0, like_count: 0 },
    }
    const original = near?.post.repostedId === undefined ? near : undefined
    const isRepost = original && kind < SHARES.repost && original.author !== author && !reposted(block, original, author)
    if (isRepost) {
      post.repostedId = original.post.id
      post.text = `RT @${users[original.author]!.username}: ${original.post.text}`
      ;(original.post.counts as Counts).repost_count += 1
    } else write(post, original, kind, block)
    return { post, author, surroundings: surroundingsOf(post, author, original), likedBy: isRepost ? [] : likers(author) }
  }

  function write(post: NewPost, near: GeneratedPost | undefined, kind: number, block: Block) {
    let text = sentenceOf(random, 4 + random.below(16))
    if (random.chance(SHARES.mention)) text = `@${users[active(random)]!.username} ${text}`
    if (random.chance(SHARES.hashtag)) text += ` #${hashtagOf(random)}`
    if (random.chance(SHARES.link)) text += ` https://example.com/${wordOf(random)}/${random.below(1000)}`
    if (near && kind > 1 - SHARES.reply) {
      post.repliedToId = near.post.id
      text = `@${users[near.author]!.username} ${text}`
      ;(near.post.counts as Counts).reply_count += 1
    } else if (near && kind > 1 - SHARES.reply - SHARES.quote) {
      post.quotedId = near.post.id
      ;(near.post.counts as Counts).quote_count += 1
    } else if (random.chance(SHARES.media)) {
      const mediaKey = `3_${post.id}`
      block.media.push({ mediaKey, ownerId: post.authorId, createdAtMs: post.createdAtMs })
      post.mediaKeys = [mediaKey]
    }
    post.text = text
  }

  function surroundingsOf(post: NewPost, author: number, near: GeneratedPost | undefined): Surroundings {
    const entities = entitiesOf(post.text)
    const mentioned = entities.mentions.flatMap(({ username }) => {
      const id = usernames.get(username)
      return id === undefined ? [] : [[username, id] as const]
    })
    const parent = post.repliedToId === undefined ? undefined : near
    const conversationId = parent && (parent.surroundings.repliedTo?.conversationId ?? parent.post.id)
    return {
      ...(parent && { repliedTo: { authorId: parent.post.authorId, conversationId: conversationId! } }),
      ...(near && post.repostedId !== undefined && { repostedAuthorId: near.post.authorId }),
      entities,
      mentioned: new Map(mentioned),
      isAuthorVerified: users[author]!.isVerified,
      mediaKinds: post.mediaKeys ? ['photo'] : [],
    }
  }

  function likers(author: number): number[] {
    const found = new Set<number>()
    for (let likes = random.geometric(LIKES); likes > 0; likes -= 1) found.add(random.below(users.length))
    found.delete(author)
    return [...found]
  }

  for (let from = 0; from < count; from += BLOCK) {
    const block: Block = { posts: [], media: [] }
    for (let index = from; index < Math.min(count, from + BLOCK); index += 1) block.posts.push(generate(index, block))
    for (const { post, likedBy } of block.posts) (post.counts as Counts).like_count = likedBy.length
    yield block
  }
}

/** Whether a user has reposted a post already, among those near enough to refer to it. */
const reposted = ({ posts }: Block, { post }: GeneratedPost, author: number) =>
  posts.slice(-2 * NEAR).some((other) => other.author === author && other.post.repostedId === post.id)
