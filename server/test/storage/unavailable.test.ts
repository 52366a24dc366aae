import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { asUnavailable, doubtCommit, Unavailable } from '../../src/storage/unavailable.ts'
import { asAdministrator, type Flavour, freshDatabase } from '../stage/database.ts'
import { databasesOf } from '../stage/databases.ts'

const flavours = databasesOf(import.meta)

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
  test(`${flavour}: a full disk is distinguished from an unavailable database`, async () => {
    const explained = asUnavailable(await fillUp[flavour]().catch((error) => error))
    assert.ok(explained instanceof Unavailable)
    assert.match(explained.message, /^The database is out of disk space\. Nothing was changed/)
  })

/** Has a database say that what it reads is damaged. */
const findDamage: Record<Flavour, () => Promise<void>> = {
  async sqlite() {
    await using database = await freshDatabase('sqlite')
    const path = database.url.slice('sqlite:'.length)
    await writeFile(path, 'no database at all, but long enough to be read as the header of one'.repeat(10))
    using file = new DatabaseSync(path)
    file.exec('select * from sqlite_schema')
  },
  postgres: () => asAdministrator("do $$ begin raise exception using errcode = 'index_corrupted'; end $$"),
}

for (const flavour of flavours)
  test(`${flavour}: a damaged file is not a bug: nothing was accepted, and the error says so`, async () => {
    const explained = asUnavailable(await findDamage[flavour]().catch((error) => error))
    assert.ok(explained instanceof Unavailable)
    assert.match(explained.message, /^The database is unavailable\. Nothing was changed/)
  })

if (flavours.includes('postgres'))
  test('postgres: a write that a server refuses, because it takes none, was not done', async () => {
    const refused = await asAdministrator('begin read only; create table refused (); commit').catch((error) => error)
    await asAdministrator('rollback')
    doubtCommit(refused)
    const explained = asUnavailable(refused)
    assert.ok(explained instanceof Unavailable)
    assert.match(explained.message, /^The database is unavailable\. Nothing was changed/)
  })
