import type { DatabaseSync } from 'node:sqlite'
import { createTableCopies } from '../../../files/table-copies.ts'
import { applyUsers, replaceRows, type SizeChanges } from '../../../memberships/apply-batch.ts'
import { unpackBatch } from '../../../memberships/packed-batch.ts'
import { createMemberRows, keyOf } from './member-rows.ts'
import { createSizeChanges } from './size-changes.ts'

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

function transaction<T>(db: DatabaseSync, run: () => T): T {
  db.exec('begin immediate')
  try {
    const result = run()
    db.exec('commit')
    return result
  } catch (error) {
    if (db.isTransaction) db.exec('rollback')
    throw error
  }
}

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
  const copies = createTableCopies(db, (table) => (table === 'migrations' ? undefined : 'true'))
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
