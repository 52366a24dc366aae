import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { printFreshSchema, schemaFile } from '../../scripts/print-schema.ts'
import { flavours } from '../stage/database.ts'

for (const flavour of flavours) {
  test(`docs/schema/${flavour}.sql says what the migrations make`, async () => {
    const kept = await readFile(schemaFile(flavour), 'utf8').catch(() => '')
    assert.equal(kept, await printFreshSchema(flavour), 'the dump is stale: run `node server/scripts/print-schema.ts --write`')
  })
}
