import type { Ids } from '../../../lib/ids.ts'

/** The id of a new poll or conversation card: a snowflake in base 36, whose digits are in the card's URI (public practice). */
export const nextLegacyId = (ids: Ids): string => BigInt(ids.next()).toString(36)
