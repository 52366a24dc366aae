import type { Ids } from '../../lib/ids.ts'

/** The characters of an id after the first, `1`. */
const LENGTH = 12

/** The id of a new space: 13 characters, all different in whichever case. */
export const newSpaceId = (ids: Pick<Ids, 'nextBase36'>): string => `1${ids.nextBase36().padStart(LENGTH, '0')}`
