/**
 * The order in which transactions lock rows of one table, by id: the newest first, because a post that is deleted is locked before those that it
 * refers to, which are older.
 */
export function inLockOrder(one: string, other: string): number {
  if (one.length !== other.length) return other.length - one.length
  if (one === other) return 0
  return one > other ? -1 : 1
}
