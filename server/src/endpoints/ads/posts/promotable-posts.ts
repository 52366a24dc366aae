import type { Content } from '../../../storage/content.ts'
import { adsPostKey, adsPosts, posts } from '../../../storage/content-tables.ts'

const MOST_LONG = 2n ** 63n - 1n

/** Of these ids: the posts that do not exist, and those that an account may not use. */
export interface NotUsable {
  unknown: readonly string[]
  refused: readonly string[]
}

interface PostReads {
  content: Pick<Content, 'rows'>
}

/** Which of these posts an account made. */
export async function madeAmong(ids: readonly string[], accountId: string, { content }: PostReads): Promise<Set<string>> {
  const keys = ids.map((id) => adsPostKey(accountId, id))
  const rows = await content.rows(adsPosts, ['post_id', 'made'], keys)
  return new Set(rows.filter(([, made]) => made).map(([id]) => id as string))
}

/** Checks posts that an account is to use: those that it made, and those of some authors. A repost is none. */
export async function usable(
  ids: readonly string[],
  accountId: string,
  authors: ReadonlySet<string>,
  { content }: PostReads,
): Promise<NotUsable> {
  const possible = ids.filter((id) => BigInt(id) <= MOST_LONG)
  const [rows, ownIds] = await Promise.all([
    content.rows(posts, ['id', 'author_id', 'reposted_id'], possible),
    madeAmong(possible, accountId, { content }),
  ])
  const found = new Map(rows.map(([id, author, reposted]) => [id as string, { author: author as string, isRepost: reposted !== null }]))
  const isUsable = (id: string) => {
    const { author, isRepost } = found.get(id)!
    return !isRepost && (ownIds.has(id) || authors.has(author))
  }
  return {
    unknown: ids.filter((id) => !found.has(id)),
    refused: ids.filter((id) => found.has(id) && !isUsable(id)),
  }
}
