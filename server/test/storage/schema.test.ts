import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { printSchema } from '../../scripts/print-schema.ts'
import { freshDatabase } from '../stage/database.ts'
import { databasesOf } from '../stage/databases.ts'

const schemas = resolve(import.meta.dirname, '../../../docs/schema')

for (const flavour of databasesOf(import.meta)) {
  test(`docs/schema/${flavour}.sql is what the migrations make`, async () => {
    await using database = await freshDatabase(flavour)
    const printed = await readFile(resolve(schemas, `${flavour}.sql`), 'utf8').catch(() => '')
    assert.equal(printed, await printSchema(flavour, database.url), 'it is not fresh: run npm run docs')
  })
}
