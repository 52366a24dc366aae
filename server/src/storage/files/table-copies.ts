import type { DatabaseSync } from 'node:sqlite'
import { transaction } from './transaction.ts'

/** The condition for the rows of a table that are copied; undefined if the table is left alone. */
export type Copied = (table: string) => string | undefined

const everything: Copied = () => 'true'

const TABLES = `select name from main.sqlite_schema where type = 'table' and name not like 'sqlite\\_%' escape '\\' order by name`
const COPIES = 'select name from snapshots.sqlite_schema where name like ?'

/** Copies of the tables of a SQLite connection, in a temporary database of that connection. */
export function createTableCopies(db: DatabaseSync, copied: Copied = everything) {
  let isAttached = false

  const attach = () => {
    if (!isAttached) db.exec(`attach '' as snapshots`)
    isAttached = true
  }

  const namesOf = (statement: string, ...values: string[]) =>
    db
      .prepare(statement)
      .all(...values)
      .map(({ name }) => name as string)

  const tables = () =>
    namesOf(TABLES).flatMap((table): { table: string; condition: string }[] => {
      const condition = copied(table)
      return condition === undefined ? [] : [{ table, condition }]
    })

  const copyOf = (name: string, table: string) => `${name}/${table}`

  const pragma = (name: string) => Number(Object.values(db.prepare(`pragma ${name}`).get()!)[0])
  const usedBytes = () => (pragma('snapshots.page_count') - pragma('snapshots.freelist_count')) * pragma('snapshots.page_size')

  /** No row is judged by those that it refers to, because all come back together. */
  const withoutForeignKeys = (run: () => void) => {
    const were = pragma('foreign_keys')
    db.exec('pragma foreign_keys = off')
    try {
      run()
    } finally {
      db.exec(`pragma foreign_keys = ${were}`)
    }
  }

  return {
    save(name: string): number {
      attach()
      const before = usedBytes()
      transaction(db, () => {
        for (const { table, condition } of tables())
          db.exec(`create table snapshots."${copyOf(name, table)}" as select * from main."${table}" where ${condition}`)
      })
      return usedBytes() - before
    },
    /** A table without a copy is emptied. `before` runs in the same transaction. */
    restore(name: string, before?: () => void) {
      attach()
      const copies = new Set(namesOf(COPIES, `${name}/%`))
      withoutForeignKeys(() =>
        transaction(db, () => {
          before?.()
          for (const { table, condition } of tables()) {
            db.exec(`delete from main."${table}" where ${condition}`)
            const copy = copyOf(name, table)
            if (copies.has(copy)) db.exec(`insert into main."${table}" select * from snapshots."${copy}"`)
          }
        }),
      )
    },
    drop(name: string) {
      if (isAttached) for (const copy of namesOf(COPIES, `${name}/%`)) db.exec(`drop table snapshots."${copy}"`)
    },
  }
}
export type TableCopies = ReturnType<typeof createTableCopies>
