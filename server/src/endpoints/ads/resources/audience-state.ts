import type { Memberships } from '../../../storage/memberships.ts'

/** An audience with fewer users cannot be targeted (public practice). */
export const LEAST_USERS = 100

export const reasonsNotTargetable = ['PROCESSING', 'TOO_SMALL'] as const

export type ReasonNotTargetable = (typeof reasonsNotTargetable)[number]

/** What answers say of the users of an audience that has so many; undefined: it never had users. */
export function audienceState(size: number | undefined, deleted: boolean) {
  const reasons: ReasonNotTargetable[] = [
    ...(size === undefined && !deleted ? (['PROCESSING'] as const) : []),
    ...(deleted || (size ?? 0) < LEAST_USERS ? (['TOO_SMALL'] as const) : []),
  ]
  return { size: size ?? null, targetable: reasons.length === 0, reasons_not_targetable: reasons }
}

/** Why an audience of so many users cannot be targeted, in words. */
export const sayReason = (reason: ReasonNotTargetable, size: number | null): string =>
  reason === 'PROCESSING'
    ? 'PROCESSING (its first users are not written yet)'
    : `TOO_SMALL (it has ${size ?? 0} users, and must have at least ${LEAST_USERS})`

export interface SizeServices {
  memberships: Pick<Memberships, 'sizes'>
  now: () => number
}

/** The tables of records that have users. */
export type AudienceTable = 'custom_audiences' | 'do_not_reach_lists'

/** By what the memberships know an audience: records of both tables may have the same id. */
export const membershipsKey = (table: AudienceTable, id: string): string => `${table}:${id}`

/** How many users these audiences have now, by id. Resources get the services of an endpoint as any object. */
export async function sizesOf(table: AudienceTable, ids: readonly string[], services: object): Promise<ReadonlyMap<string, number>> {
  const { memberships, now } = services as SizeServices
  const sizes = await memberships.sizes(
    ids.map((id) => membershipsKey(table, id)),
    now(),
  )
  return new Map([...sizes].map(([key, size]) => [key.slice(table.length + 1), size]))
}
