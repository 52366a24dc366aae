import { type ContentTable, users } from '../../content-tables.ts'

interface Locked {
  table: ContentTable
  key: string
}

/** Users first, then other tables by name. */
const rankOf = ({ table }: Locked) => (table.name === users.name ? '' : table.name)

/**
 * The order in which transactions lock rows: users before others; of one table by id, the newest first, because a post that is deleted is locked
 * before those that it refers to, which are older.
 */
export function inLockOrder(one: Locked, other: Locked): number {
  const [rank, otherRank] = [rankOf(one), rankOf(other)]
  if (rank !== otherRank) return rank < otherRank ? -1 : 1
  if (one.key.length !== other.key.length) return other.key.length - one.key.length
  if (one.key === other.key) return 0
  return one.key > other.key ? -1 : 1
}
