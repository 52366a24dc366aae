import type { DatabaseSync } from 'node:sqlite'
import { createTableCopies } from '../../../files/table-copies.ts'
import { transaction } from '../../../files/transaction.ts'
import { applyUsers, type MembershipRow, type MembershipRows, replaceRows, type SizeChanges } from '../../../memberships/apply-batch.ts'
import { unpackBatch } from '../../../memberships/packed-batch.ts'

const bytesOf = (key: string) => Buffer.from(key, 'latin1')

/** The key of a stored identifier. */
const keyOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1')

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
function createMemberRows(db: DatabaseSync) {
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

/** The rows of the table `size_change`. */
function createSizeChanges(db: DatabaseSync) {
  const put = db.prepare('insert into size_change values (?, ?, ?) on conflict do update set change = size_change.change + excluded.change')
  const past = db.prepare('select coalesce(sum(change), 0) as change from size_change where audience = ? and at between 1 and ?')
  const dropPast = db.prepare('delete from size_change where audience = ? and at between 1 and ?')
  const audiences = db.prepare('select number from audience where removed = 0')

  /** Adds up what is past, so that the size is read from few rows. */
  function fold(number: number, nowSeconds: number) {
    const { change } = past.get(number, nowSeconds) as { change: number }
    if (change !== 0) put.run(number, 0, change)
    dropPast.run(number, nowSeconds)
  }

  return {
    add(number: number, changes: SizeChanges, nowSeconds: number) {
      for (const [at, change] of changes) if (change !== 0) put.run(number, at, change)
      fold(number, nowSeconds)
    },
    /** The same for all audiences; those of removed ones are deleted. */
    foldAll(nowSeconds: number) {
      db.exec('delete from size_change where audience in (select number from audience where removed = 1)')
      for (const { number } of audiences.all() as { number: number }[]) fold(number, nowSeconds)
    },
  }
}

/** How many rows one call of `sweep` looks at, and after how many deleted ones it ends: a user has many at times. */
const SWEPT_ROWS = 2000
const DROPPED_ROWS = 5000

interface SweptRow {
  audience: number
  identifier: Uint8Array
  head: Uint8Array | null
  expires: number
  removed: number
}

/** Before all rows. */
const START = { audience: 0, identifier: new Uint8Array() }

/** The memberships of a file whose tables exist (`openSchema`). One connection writes it. */
export function createMemberFile(db: DatabaseSync) {
  const members = createMemberRows(db)
  const sizes = createSizeChanges(db)
  const addAudience = db.prepare('insert into audience (id) values (?) on conflict do nothing')
  const audience = db.prepare('select number, removed from audience where id = ?')
  const markRemoved = db.prepare('update audience set removed = 1 where id = ?')
  const living = db.prepare('select id from audience where id > ? and removed = 0 order by id limit ?')
  const nextRows = db.prepare(`select audience, identifier, head, expires, removed from member join audience on number = audience
    where (audience, identifier) > (?, ?) order by audience, identifier limit ?`)
  const copies = createTableCopies(db, (table) => (['migrations', 'schema_changes'].includes(table) ? undefined : 'true'))
  let swept: Pick<SweptRow, 'audience' | 'identifier'> = START

  return {
    /** Resolves once the tables exist. */
    ready: () => {},
    apply({ audienceId, batch, nowMs }: { audienceId: string; batch: ArrayBuffer; nowMs: number }): boolean {
      return transaction(db, () => {
        addAudience.run(audienceId)
        const { number, removed } = audience.get(audienceId) as { number: number; removed: number }
        if (removed) return false
        const now = Math.floor(nowMs / 1000)
        const changes: SizeChanges = new Map()
        for (const users of unpackBatch(batch).parts()) {
          const keys = users.flatMap(({ keys }) => keys).sort()
          const rows = members.existing(number, keys)
          for (const missing of applyUsers(users, rows, changes, now)) {
            if (missing !== undefined) members.addChain(number, rows, missing)
            else {
              members.write(number, rows)
              replaceRows(rows, members.existing(number, keys))
            }
          }
          members.write(number, rows)
        }
        sizes.add(number, changes, now)
        return true
      })
    },
    remove(audienceId: string) {
      addAudience.run(audienceId)
      markRemoved.run(audienceId)
    },
    audiences: ({ after, limit }: { after: string; limit: number }): string[] => living.all(after, limit).map(({ id }) => id as string),
    sweep(nowMs: number): boolean {
      const isStart = swept === START
      const rows = nextRows.all(swept.audience, swept.identifier, SWEPT_ROWS) as unknown as SweptRow[]
      // Before anything is deleted, so that a page which fails does not hold up those after it.
      swept = rows.length === SWEPT_ROWS ? rows.at(-1)! : START
      return transaction(db, () => {
        if (isStart) sizes.foldAll(Math.floor(nowMs / 1000))
        let dropped = 0
        for (const row of rows) {
          const { audience, identifier, head, removed, expires } = row
          if (removed) members.drop(audience, identifier)
          else if (head === null && expires * 1000 <= nowMs) dropped += members.dropChain(audience, keyOf(identifier))
          if (dropped < DROPPED_ROWS) continue
          swept = row
          break
        }
        return swept !== START
      })
    },
    wipe: () => transaction(db, () => void db.exec('delete from member; delete from size_change; delete from audience')),
    saveSnapshot: (name: string) => copies.save(name),
    restoreSnapshot: (name: string) => copies.restore(name),
    dropSnapshot: (name: string) => copies.drop(name),
    close: () => db.close(),
  }
}

export type MemberFile = ReturnType<typeof createMemberFile>
