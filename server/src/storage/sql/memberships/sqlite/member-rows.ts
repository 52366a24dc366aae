import type { DatabaseSync } from 'node:sqlite'
import type { MembershipRow, MembershipRows } from '../../../memberships/apply-batch.ts'

const bytesOf = (key: string) => Buffer.from(key, 'latin1')

/** The key of a stored identifier. */
export const keyOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1')

type Row = [effective: number, expires: number, head: Uint8Array | null, next: Uint8Array | null, size: number]

const rowOf = ([effective, expires, head, next, size]: Row): MembershipRow => ({
  effective,
  expires,
  head: head && keyOf(head),
  next: next && keyOf(next),
  size,
  isStored: true,
  isGone: false,
  isChanged: false,
})

/** The rows of the table `member`; `number` is that of an audience. */
export function createMemberRows(db: DatabaseSync) {
  const row = db.prepare('select effective, expires, head, next, size from member where audience = ? and identifier = ?')
  row.setReturnArrays(true)
  const put = db.prepare('replace into member values (?, ?, ?, ?, ?, ?, ?)')
  const drop = db.prepare('delete from member where audience = ? and identifier = ?')

  const load = (number: number, key: string): MembershipRow | undefined => {
    const found = row.get(number, bytesOf(key)) as unknown as Row | undefined
    return found && rowOf(found)
  }

  return {
    /** The existing rows of the keys, and their heads. Sorted keys are read in the order of the table. */
    existing(number: number, keys: readonly string[]): MembershipRows {
      const rows: MembershipRows = new Map()
      for (const key of keys) {
        const found = rows.has(key) ? undefined : load(number, key)
        if (!found) continue
        rows.set(key, found)
        if (found.head !== null && !rows.has(found.head)) rows.set(found.head, load(number, found.head)!)
      }
      return rows
    },
    /** Adds a row and the rest of its chain. */
    addChain(number: number, rows: MembershipRows, start: string) {
      for (let key: string | null = start; key !== null; ) {
        const found: MembershipRow = load(number, key)!
        if (!rows.has(key)) rows.set(key, found)
        key = found.next
      }
    },
    /** Writes what has changed, in the order of the table. */
    write(number: number, rows: MembershipRows) {
      const changed = [...rows].filter(([, { isChanged }]) => isChanged).sort(([one], [other]) => (one < other ? -1 : 1))
      for (const [key, { effective, expires, head, next, size, isGone, isStored }] of changed) {
        if (isGone) isStored && drop.run(number, bytesOf(key))
        else put.run(number, bytesOf(key), effective, expires, head && bytesOf(head), next && bytesOf(next), size)
      }
    },
    drop: (number: number, identifier: Uint8Array) => void drop.run(number, identifier),
    /** Deletes all identifiers of a user. Returns how many there were. */
    dropChain(number: number, head: string): number {
      let dropped = 0
      for (let key: string | null = head; key !== null; dropped += 1) {
        const found = load(number, key)
        drop.run(number, bytesOf(key))
        key = found?.next ?? null
      }
      return dropped
    },
  }
}
