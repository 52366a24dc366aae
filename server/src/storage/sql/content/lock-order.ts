import { type ContentTable, lists, users } from '../../content-tables.ts'

interface Locked {
  table: ContentTable
  key: string
}

const FIRST: readonly string[] = [lists.name, users.name]

/** Lists and users first, then other tables by name. */
const rankOf = ({ table: { name } }: Locked) => (FIRST.includes(name) ? FIRST.indexOf(name) : name)

/**
 * The order in which transactions lock rows: lists before users, users before others; of one table by id, the newest first, because a post that is deleted is locked
 * before those that it refers to, which are older.
 */
export function inLockOrder(one: Locked, other: Locked): number {
  const [rank, otherRank] = [rankOf(one), rankOf(other)]
  if (rank !== otherRank) return String(rank) < String(otherRank) ? -1 : 1
  if (one.key.length !== other.key.length) return other.key.length - one.key.length
  if (one.key === other.key) return 0
  return one.key > other.key ? -1 : 1
}
