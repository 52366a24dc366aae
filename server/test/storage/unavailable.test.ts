import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { asUnavailable, Unavailable } from '../../src/storage/unavailable.ts'
import { asAdministrator, type Flavour, flavours } from '../stage/database.ts'

/** Has a database say that the disk is full. */
const fillUp: Record<Flavour, () => Promise<void>> = {
  async sqlite() {
    using file = new DatabaseSync(':memory:')
    file.exec('pragma max_page_count = 2; create table filled (bytes blob)')
    file.exec('insert into filled values (zeroblob(100000))')
  },
  postgres: () => asAdministrator("do $$ begin raise exception using errcode = 'disk_full'; end $$"),
}

for (const flavour of flavours)
  test(`${flavour}: a full disk is told from a database that is away`, async () => {
    const explained = asUnavailable(await fillUp[flavour]().catch((error) => error))
    assert.ok(explained instanceof Unavailable)
    assert.match(explained.message, /^The database has no room left\. Nothing was accepted/)
  })
