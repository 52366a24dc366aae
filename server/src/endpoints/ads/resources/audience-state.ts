import type { Memberships } from '../../../storage/memberships.ts'

/** An audience with fewer users cannot be targeted (public practice). */
const LEAST_USERS = 100

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

export interface SizeServices {
  memberships: Pick<Memberships, 'sizes'>
  now: () => number
}

/** How many users these audiences have now. Resources get the services of an endpoint as any object. */
export const sizesOf = (ids: readonly string[], services: object): ReturnType<Memberships['sizes']> => {
  const { memberships, now } = services as SizeServices
  return memberships.sizes(ids, now())
}
