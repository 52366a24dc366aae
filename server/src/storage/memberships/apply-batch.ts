import type { BatchUser } from './packed-batch.ts'

/**
 * An identifier of an audience. The identifiers of one user are a chain: the first, its head, has the user's membership, and each of them
 * names the head and the next one. Most users have one identifier, which is its own chain.
 */
export interface MembershipRow {
  /** Of a head: begin and end of the membership, in seconds since 1970. */
  effective: number
  expires: number
  /** The key of the head; null for the head itself. */
  head: string | null
  /** The key of the next identifier of the user. */
  next: string | null
  /** Of a head: how many identifiers the user has. */
  size: number
  isStored: boolean
  /** Deleted, or never there. */
  isGone: boolean
  isChanged: boolean
}

/** The rows that a batch has to do with, by key. */
export type MembershipRows = Map<string, MembershipRow>

/** By how much the size of an audience changes at which second. */
export type SizeChanges = Map<number, number>

/** A change at 0 is counted here: what is past is added up at 0. */
const FIRST_SECOND = 1

/** Counts users with the same times. */
export function count(changes: SizeChanges, { effective, expires }: Pick<MembershipRow, 'effective' | 'expires'>, users: number) {
  const [begin, end] = [Math.max(effective, FIRST_SECOND), Math.max(expires, FIRST_SECOND)]
  changes.set(begin, (changes.get(begin) ?? 0) + users)
  changes.set(end, (changes.get(end) ?? 0) - users)
}

/** True for different users who are added or changed alike, by one identifier each: most are. */
export function areAlike(users: readonly BatchUser[]): boolean {
  const { effective, expires } = users[0]!
  const isAlike = (user: BatchUser) => user.keys.length === 1 && !user.isDeleted && user.effective === effective && user.expires === expires
  return users.every(isAlike) && new Set(users.map(({ keys: [key] }) => key)).size === users.length
}

/** A user who would have more identifiers is kept as several, so that reading and deleting one user stays cheap. */
export const MOST_IDENTIFIERS = 1000

/** With so many rows in memory a batch is written as far as it is applied: users may have many identifiers that it does not name. */
const MOST_ROWS = 100_000

/** Puts rows in the place of others, in the same map. */
export function replaceRows(rows: MembershipRows, others: MembershipRows) {
  rows.clear()
  for (const [key, row] of others) rows.set(key, row)
}

function forget(rows: MembershipRows, chain: readonly string[]) {
  for (const key of chain) Object.assign(rows.get(key)!, { isGone: true, isChanged: true })
}

const newRow = (): MembershipRow => ({
  effective: 0,
  expires: 0,
  head: null,
  next: null,
  size: 1,
  isStored: false,
  isGone: false,
  isChanged: true,
})

/**
 * Applies users to the rows of an audience, in order. `rows` must have the existing rows of all their keys, and the heads of these. Yields
 * the key of each further row that it needs; the caller then adds this row and the rest of its chain to `rows`, without replacing any.
 * Undefined asks to write what has changed and to read the rows again, because they have become many.
 * Users whose membership has ended are gone, whether their rows are deleted already or not.
 */
export function* applyUsers(
  users: Iterable<BatchUser>,
  rows: MembershipRows,
  changes: SizeChanges,
  nowSeconds: number,
): Generator<string | undefined, void> {
  /** The keys of the identifiers of a user. */
  function* chainOf(head: string): Generator<string, string[]> {
    const chain: string[] = []
    for (let key: string | null = head; key !== null; ) {
      if (!rows.has(key)) yield key
      chain.push(key)
      key = rows.get(key)!.next
    }
    return chain
  }

  /** The heads of the users that have one of these keys, the one with most identifiers first. */
  function headsOf(keys: readonly string[]): string[] {
    const heads = new Set<string>()
    for (const key of keys) {
      const row = rows.get(key)
      if (row && !row.isGone) heads.add(row.head ?? key)
    }
    return heads.size < 2 ? [...heads] : [...heads].sort((one, other) => rows.get(other)!.size - rows.get(one)!.size)
  }

  function add(key: string): MembershipRow {
    const row = rows.get(key)
    const added = row ? Object.assign(row, newRow(), { isStored: row.isStored }) : newRow()
    rows.set(key, added)
    return added
  }

  function link(head: string, first: string, last: MembershipRow, size: number) {
    const row = rows.get(head)!
    last.next = row.next
    row.next = first
    row.size += size
    row.isChanged = true
  }

  /** Two users turn out to be one. */
  function* join(head: string, other: string): Generator<string, void> {
    const chain = yield* chainOf(other)
    count(changes, rows.get(other)!, -1)
    for (const key of chain) Object.assign(rows.get(key)!, { head, isChanged: true })
    link(head, other, rows.get(chain.at(-1)!)!, chain.length)
  }

  function* update({ keys, effective, expires }: BatchUser): Generator<string, void> {
    const heads: string[] = []
    /** The first of these users that can have so many identifiers more. */
    const withRoomFor = (size: number) => heads.find((head) => rows.get(head)!.size + size <= MOST_IDENTIFIERS)
    for (const found of headsOf(keys)) {
      const head = withRoomFor(rows.get(found)!.size)
      if (head !== undefined) yield* join(head, found)
      else {
        count(changes, rows.get(found)!, -1)
        heads.push(found)
      }
    }
    for (const key of keys) {
      const row = rows.get(key)
      if (row && !row.isGone) continue
      const head = withRoomFor(1)
      const added = add(key)
      if (head === undefined) heads.push(key)
      else {
        added.head = head
        link(head, key, added, 1)
      }
    }
    for (const head of heads) {
      count(changes, Object.assign(rows.get(head)!, { effective, expires, isChanged: true }), 1)
    }
  }

  function* remove({ keys }: BatchUser): Generator<string, void> {
    for (const head of headsOf(keys)) {
      count(changes, rows.get(head)!, -1)
      forget(rows, yield* chainOf(head))
    }
  }

  /** Their begin and end are past, so the size stays as it is. */
  function* dropEnded(keys: readonly string[]): Generator<string, void> {
    for (const head of headsOf(keys)) {
      if (rows.get(head)!.expires <= nowSeconds) forget(rows, yield* chainOf(head))
    }
  }

  for (const user of users) {
    yield* dropEnded(user.keys)
    yield* user.isDeleted ? remove(user) : update(user)
    if (rows.size >= MOST_ROWS) yield undefined
  }
}
