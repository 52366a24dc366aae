import type { Memberships } from '../memberships.ts'

/** Tells which of these audiences still have a record. */
export type KeptAudiences = (audienceIds: readonly string[]) => Promise<ReadonlySet<string>>

const PAGE = 200

/**
 * Removes the users of all audiences that have no record any more: that of the audience or of its account was deleted. Ends early once
 * `isStopped`.
 */
export async function removeOrphans(
  { audiences, remove }: Pick<Memberships, 'audiences' | 'remove'>,
  keptAmong: KeptAudiences,
  isStopped: () => boolean,
): Promise<void> {
  for (let ids = await audiences('', PAGE); ids.length > 0 && !isStopped(); ids = await audiences(ids.at(-1)!, PAGE)) {
    const kept = await keptAmong(ids)
    for (const id of ids) if (!kept.has(id) && !isStopped()) await remove(id)
  }
}
