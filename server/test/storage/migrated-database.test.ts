import assert from 'node:assert/strict'
import { test } from 'node:test'
import { printSchema } from '../../scripts/print-schema.ts'
import { freshDatabase, migratedDatabase } from '../stage/database.ts'
import { databasesOf } from '../stage/databases.ts'
import { columnsOf, rawRows } from './samples.ts'

for (const flavour of databasesOf(import.meta)) {
  test(`a migrated database on ${flavour} has the tables that a first start makes`, async () => {
    await using migrated = await migratedDatabase(flavour)
    await using fresh = await freshDatabase(flavour)
    assert.equal(await printSchema(flavour, migrated.url), await printSchema(flavour, fresh.url))
  })

  test(`a migrated database on ${flavour} has no secret, no record and nothing of a process`, async () => {
    await using database = await migratedDatabase(flavour)
    const rows: Record<string, unknown[]> = {}
    for (const table of new Set((await columnsOf(database.url)).map(({ table }) => table)))
      rows[table] = await rawRows(database.url, `select * from ${table}`)
    const filled = Object.keys(rows).filter((table) => rows[table]!.length > 0)
    assert.deepEqual(filled.toSorted(), ['metadata', 'migrations', 'schema_changes'])
    for (const row of rows.metadata!) assert.match((row as { name: string }).name, /^(declared_tables|derived column of \w+)$/)
  })

  test(`a row that is written to a migrated database on ${flavour} is in no other`, async () => {
    await using one = await migratedDatabase(flavour)
    await using other = await migratedDatabase(flavour)
    await rawRows(one.url, `insert into metadata (name, value) values ('mine', '1')`)
    assert.deepEqual(await rawRows(other.url, `select value from metadata where name = 'mine'`), [])
  })
}
