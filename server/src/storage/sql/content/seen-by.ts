import type { SeenBy } from '../../content.ts'

/** The parameter for a viewer; no user has the id of an app alone. */
export const viewerIn = ({ viewerId }: SeenBy): string => viewerId ?? ''

/** Neither suspended, nor protected from the viewer. `u` is the user, `a` the profile. */
const isOpen = (viewer: string) => `not u.disabled and (not a.protected or u.id = ${viewer}
  or exists (select 1 from relations as f where f.relation = 'follow' and f.source = ${viewer} and f.target = u.id))`

/**
 * Whether the viewer may know what a user does. A subquery of one value, so that the planner of PostgreSQL looks one user up for
 * each row, instead of joining all of them.
 */
export const authorIsSeen = (userId: string, viewer: string): string =>
  `(select ${isOpen(viewer)} from users as u join profiles as a on a.user_id = u.id where u.id = ${userId})`

/** Whether the viewer may know of the list with an id, a text. */
export const listIsSeen = (listId: string, viewer: string): string =>
  `(select not l.private or l.owner_id = ${viewer} from lists as l where l.id = cast(${listId} as bigint))`
