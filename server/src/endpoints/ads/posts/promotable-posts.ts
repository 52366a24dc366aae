import type { Content } from '../../../storage/content.ts'
import { adsPosts, posts } from '../../../storage/content-tables.ts'
import type { Records } from '../../../storage/records.ts'
import { promotableUsersOf } from './promotable-users.ts'

const MOST_LONG = 2n ** 63n - 1n

/** Of these ids: the posts that do not exist, and those that an account may not promote. */
export interface NotPromotable {
  unknown: readonly string[]
  refused: readonly string[]
}

/**
 * Checks posts that an account is to promote: it may promote those that it made, and those of its promotable users. A repost is none. With
 * `userId` posts of that user count, too.
 */
export async function promotable(
  ids: readonly string[],
  accountId: string,
  { content, records }: { content: Pick<Content, 'rows'>; records: Pick<Records, 'list'> },
  userId?: string,
): Promise<NotPromotable> {
  const possible = ids.filter((id) => BigInt(id) <= MOST_LONG)
  const [rows, made, users] = await Promise.all([
    content.rows(posts, ['id', 'author_id', 'reposted_id'], possible),
    content.rows(adsPosts, ['post_id', 'account_id'], possible),
    promotableUsersOf(accountId, { records }),
  ])
  const authors = new Set([...users.map(({ user_id }) => user_id), ...(userId === undefined ? [] : [userId])])
  const ownIds = new Set(made.filter(([, account]) => account === accountId).map(([id]) => id))
  const found = new Map(rows.map(([id, author, reposted]) => [id as string, { author: author as string, isRepost: reposted !== null }]))
  const isPromotable = (id: string) => {
    const { author, isRepost } = found.get(id)!
    return !isRepost && (ownIds.has(id) || authors.has(author))
  }
  return {
    unknown: ids.filter((id) => !found.has(id)),
    refused: ids.filter((id) => found.has(id) && !isPromotable(id)),
  }
}
