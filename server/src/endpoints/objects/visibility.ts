import type { ProblemName } from '../../api/declare/problem.ts'
import type { DataObject } from '../../api/objects/data-object.ts'

/** Why an object is not shown (§7). */
export type Hidden = Extract<
  ProblemName,
  'not-authorized-for-resource' | 'resource-unavailable' | 'disallowed-resource' | 'resource-not-found'
>

/** The columns that say who may see an object, by kind. */
const columns: Readonly<Record<string, readonly string[]>> = {
  post: ['author_id', 'restriction', 'reposted_id'],
  user: ['id', 'username_key', 'disabled'],
  list: ['owner_id', 'private'],
}

export const visibilityColumns = ({ kind }: DataObject): readonly string[] => columns[kind] ?? []

/** Those of users whose posts are read too. */
export const authorColumns: readonly string[] = [...columns.user!, 'protected']

/** Who asks, and the relations between that user and others: `block:<source>:<target>`. */
export interface Viewing {
  viewerId: string | undefined
  relations: ReadonlySet<string>
}

type Get = (column: string) => unknown

/** What of an author decides who may see the author's posts. */
export type AuthorOf = (userId: string) => Get | undefined

/** What of a reposted post decides who may see its reposts. */
export type OriginalOf = (postId: string) => Get | undefined

/**
 * Posts of suspended users are shown to nobody, those of a protected user to followers, those of a user who blocks the viewer not to the
 * viewer (§2.9). A withheld post is unavailable.
 */
function postHidden(post: Get, { viewerId, relations }: Viewing, authorOf: AuthorOf): Hidden | undefined {
  const authorId = post('author_id') as string
  const author = authorOf(authorId)
  if (!author) return 'resource-not-found'
  if (author('disabled')) return 'not-authorized-for-resource'
  if (viewerId !== authorId) {
    if (author('protected') && !relations.has(`follow:${viewerId}:${authorId}`)) return 'not-authorized-for-resource'
    if (relations.has(`block:${authorId}:${viewerId}`)) return 'not-authorized-for-resource'
  }
  const restriction = post('restriction')
  if (restriction === 'unavailable') return 'resource-unavailable'
  return restriction === 'disallowed' ? 'disallowed-resource' : undefined
}

/** A repost is hidden as its original is, because its text repeats it; and gone if that is gone. */
function repostHidden(post: Get, viewing: Viewing, authorOf: AuthorOf, originalOf: OriginalOf): Hidden | undefined {
  const originalId = post('reposted_id')
  if (typeof originalId !== 'string') return undefined
  const original = originalOf(originalId)
  return original ? postHidden(original, viewing, authorOf) : 'resource-not-found'
}

/** Why the viewer does not see an object; undefined for one that is seen. The same for an object alone, in a list and in `includes`. */
export function hiddenFrom(
  { kind }: DataObject,
  object: Get,
  viewing: Viewing,
  authorOf: AuthorOf,
  originalOf: OriginalOf,
): Hidden | undefined {
  if (kind === 'post') return postHidden(object, viewing, authorOf) ?? repostHidden(object, viewing, authorOf, originalOf)
  if (kind === 'user') return object('disabled') ? 'not-authorized-for-resource' : undefined
  if (kind === 'list') return object('private') && object('owner_id') !== viewing.viewerId ? 'resource-not-found' : undefined
  return undefined
}
