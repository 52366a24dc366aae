import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { recordTypes } from '../../src/endpoints/index.ts'
import { createClock } from '../../src/lib/clock.ts'
import type { RecordType, StoredRecord } from '../../src/storage/records.ts'
import { openEngine } from '../../src/storage/sql/open-storage.ts'
import { declaredTables } from '../../src/storage/sql/records/make-tables.ts'
import { freshDatabase, migratedDatabase } from '../stage/database.ts'
import { databasesOf } from '../stage/databases.ts'
import { insertRows } from '../stage/fill-records.ts'
import { columnsOf, openWith, rawRows } from './samples.ts'

const AT_MS = Date.parse('2026-03-01T12:00:00Z')
const AT = '2026-03-01T12:00:00Z'

const text = { type: 'text', nullable: false } as const
const long = { type: 'long', nullable: false } as const

interface AThing extends StoredRecord {
  id: string
}

const Thing: RecordType<AThing> = {
  table: 'things',
  scope: 'account_id',
  key: 'id',
  keyUniqueIn: 'table',
  sortable: [],
  filterable: [],
  columns: { name: text, size: long },
}

const withColumns = (columns: RecordType['columns'], changes: Partial<RecordType<AThing>> = {}): RecordType<AThing> => ({
  ...Thing,
  ...changes,
  columns: { ...Thing.columns, ...columns },
})

const aThing = (changes: object = {}) => ({ id: 't', name: 'Old', size: 1, ...changes }) as object as AThing

const openThing = (url: string, recordType: RecordType<AThing>) => openWith(url, [...recordTypes, recordType])

/** Opens and closes the database with one kind; `run` is done in between. */
async function used<T>(
  url: string,
  recordType: RecordType<AThing>,
  run: (it: Awaited<ReturnType<typeof openThing>>) => Promise<T>,
): Promise<T> {
  const storage = await openThing(url, recordType)
  try {
    return await run(storage)
  } finally {
    await storage.close()
  }
}

const insert = (url: string, recordType: RecordType<AThing>, record = aThing()) =>
  used(url, recordType, ({ records }) => records.change('acc', { nowMs: AT_MS }, (transaction) => transaction.insert(recordType, record)))

const read = (url: string, recordType: RecordType<AThing>, id = 't') =>
  used(url, recordType, ({ records }) => records.get(recordType, 'acc', id))

/** Makes the declared tables as a version does that has a migration more than the one before. */
async function remade(url: string, types: readonly RecordType[]) {
  const engine = await openEngine({ url, clock: createClock() })
  await declaredTables(engine.flavour, types)
    .make(engine.maintenance, true)
    .finally(() => engine.close())
}

/** The columns of each index of the table but its key's. */
async function indexesOf(url: string): Promise<Record<string, string[]>> {
  const rows = await rawRows(
    url,
    url.startsWith('sqlite:')
      ? `select name, sql from sqlite_schema where type = 'index' and tbl_name = 'things' and sql is not null order by name`
      : `select indexname as name, indexdef as sql from pg_indexes where tablename = 'things' and indexname <> 'things_pkey' order by indexname`,
  )
  const columns = (definition: string) =>
    definition
      .slice(definition.lastIndexOf('(') + 1, -1)
      .replaceAll('"', '')
      .split(', ')
  return Object.fromEntries(rows.map(({ name, sql }) => [name, columns(sql as string)]))
}

const common = { created_at: AT, updated_at: AT, deleted: false }

for (const flavour of databasesOf(import.meta))
  suite(`making declared tables on ${flavour}`, () => {
    test('existing records get the declared default of a new field, or null', async () => {
      await using database = await migratedDatabase(flavour)
      await insert(database.url, Thing)
      const Grown = withColumns(
        {
          status: text,
          fast: { type: 'flag', nullable: false },
          tags: { type: 'list', nullable: false },
          since: { type: 'time', nullable: false },
          until: { type: 'time', nullable: true },
          most: long,
        },
        { defaults: { status: "it's ACTIVE", fast: true, tags: ['a', "b's"], since: AT, until: AT, most: 7 } },
      )
      assert.deepEqual(await read(database.url, Grown), {
        id: 't',
        name: 'Old',
        size: 1,
        ...common,
        status: "it's ACTIVE",
        fast: true,
        tags: ['a', "b's"],
        since: AT,
        until: null,
        most: 7,
      })
    })

    test('a new field without a value for existing records is rejected by name, and nothing is changed', async () => {
      await using database = await migratedDatabase(flavour)
      await insert(database.url, Thing)
      const before = await columnsOf(database.url)
      const Grown = withColumns({ fast: { type: 'flag', nullable: true }, colour: text, shape: text }, { defaults: { shape: 'round' } })
      await assert.rejects(
        openThing(database.url, Grown),
        /table things lacks the column colour, and this version declares no default for its existing rows/,
      )
      assert.deepEqual(await columnsOf(database.url), before)
      assert.equal((await read(database.url, Thing))?.id, 't')
    })

    test('a new field needs no value if there are no records', async () => {
      await using database = await migratedDatabase(flavour)
      await used(database.url, Thing, async () => {})
      const Grown = withColumns({ colour: text })
      await insert(database.url, Grown, aThing({ colour: 'red' }))
      assert.deepEqual(await read(database.url, Grown), { ...aThing({ colour: 'red' }), ...common })
    })

    test('a new search by name prefix finds existing records, case-insensitively', async () => {
      await using database = await migratedDatabase(flavour)
      const Before = withColumns({ name: { type: 'text', nullable: true } })
      await used(database.url, Before, async () => {})
      const row = (n: number) => ({ id: `t${n}`, account_id: 'acc', name: n === 0 ? null : n % 2 ? `ὈΔΌΣ ${n}` : `b ${n}`, size: n })
      await insertRows(
        database.url,
        'things',
        Array.from({ length: 2500 }, (_, n) => row(n)),
      )
      const scope = { account_id: 'acc' }
      await used(database.url, { ...Before, search: { prefixOf: 'name' } }, async ({ records }) => {
        const count = (search: string) => records.count({ ...Before, search: { prefixOf: 'name' } }, { scope, withDeleted: false, search })
        assert.deepEqual([await count('ὀδός'), await count('B'), await count('')], [1250, 1249, 2500])
      })
    })

    test('a newly declared search finds existing records by all its fields, and by others once it is changed', async () => {
      await using database = await migratedDatabase(flavour)
      const Untitled = withColumns({ name: { type: 'text', nullable: true }, title: { type: 'text', nullable: true } })
      await used(database.url, Untitled, async () => {})
      const row = (n: number) => ({
        id: `t${n}`,
        account_id: `acc${n % 3}`,
        size: n,
        name: n % 5 === 0 ? null : `ὈΔΌΣ-${n}`,
        title: n % 2 === 0 ? null : "Straße o'clock",
      })
      const rows = Array.from({ length: 2500 }, (_, n) => row(n))
      await insertRows(database.url, 'things', rows)
      const countBy = (recordType: RecordType<AThing>, q: string) =>
        used(database.url, recordType, ({ records }) =>
          records.count(recordType, { scope: { account_id: 'acc1' }, withDeleted: false, search: q }),
        )
      const ofAcc1 = rows.filter(({ account_id }) => account_id === 'acc1')
      const searching = (...termsOf: string[]) => ({ ...Untitled, search: { termsOf } })
      assert.equal(await countBy(searching('title'), 'STRASSE clo'), ofAcc1.filter(({ title }) => title).length)
      assert.equal(await countBy(searching('title'), 'ὀδός'), 0)
      assert.equal(await countBy(searching('name', 'title'), 'ὀδός stras'), ofAcc1.filter(({ name, title }) => name && title).length)
      assert.equal(await countBy(searching('name'), 'straße'), 0)
      await rawRows(database.url, "update things set title = 'Elsewhere'")
      assert.equal(await countBy(searching('name', 'title'), 'else'), ofAcc1.length, 'what changed meanwhile is found')
    })

    test('keys that are unique only in their scope: each account has its record, and finds it by a new search', async () => {
      await using database = await migratedDatabase(flavour)
      interface Keyed extends StoredRecord {
        own_key: string
        name: string
      }
      const Plain: RecordType<Keyed> = {
        ...Thing,
        table: 'keyed',
        key: 'own_key',
        keyUniqueIn: 'scope',
        columns: { name: text },
        present: undefined,
        record: undefined,
      }
      const open = (recordType: RecordType<Keyed>) => openWith(database.url, [...recordTypes, recordType])
      const before = await open(Plain)
      const insertFor = (accountId: string, name: string) =>
        before.records.change(accountId, { nowMs: AT_MS }, (transaction) => transaction.insert(Plain, { own_key: 'k', name }))
      assert.equal((await insertFor('acc', 'Ann'))?.name, 'Ann')
      assert.equal((await insertFor('bcc', 'Bob'))?.name, 'Bob')
      assert.equal(await insertFor('acc', 'Eve'), undefined)
      await before.close()
      const Searched: RecordType<Keyed> = { ...Plain, search: { prefixOf: 'name' } }
      const after = await open(Searched)
      const found = async (accountId: string, search: string) => {
        const query = { scope: { account_id: accountId }, withDeleted: false, search }
        const sort = [{ field: 'created_at', descending: true }]
        return (await after.records.list(Searched, { ...query, sort, limit: 9 })).map(({ name }) => name)
      }
      assert.deepEqual(await Promise.all([found('acc', 'an'), found('acc', 'b'), found('bcc', 'B')]), [['Ann'], [], ['Bob']])
      await after.records.change('bcc', { nowMs: AT_MS }, async (transaction) =>
        transaction.update(Searched, (await transaction.get(Searched, 'k'))!, { name: 'Zoe' }),
      )
      assert.deepEqual(await Promise.all([found('acc', 'a'), found('bcc', 'zo')]), [['Ann'], ['Zoe']])
      await after.close()
    })

    test('a new sort is added to an existing table, an index with other columns is recreated, and none is dropped', async () => {
      await using database = await migratedDatabase(flavour)
      const Listed = { ...Thing, search: { prefixOf: 'name' } }
      await used(database.url, { ...Listed, filterable: ['size'] }, async () => {})
      await rawRows(database.url, 'drop index things_by_created_at')
      await rawRows(database.url, 'create index things_by_created_at on things (account_id, created_at_ms)')
      await used(database.url, { ...Listed, sortable: ['size'] }, async () => {})
      assert.deepEqual(await indexesOf(database.url), {
        things_by_created_at: ['account_id', 'hidden', 'created_at_ms', 'id'],
        things_by_prefix: ['account_id', 'name_key'],
        things_by_size: ['account_id', 'hidden', 'size', 'id'],
        things_of_size: ['account_id', 'size'],
      })
    })

    test('a field that becomes nullable accepts null, keeps its values and is still found by its indexes', async () => {
      await using database = await migratedDatabase(flavour)
      const Listed: RecordType<AThing> = { ...Thing, search: { prefixOf: 'name' }, sortable: ['size', 'name'], filterable: ['size'] }
      await insert(database.url, Listed)
      const before = await indexesOf(database.url)
      const Wider: RecordType<AThing> = { ...Listed, columns: { name: { ...text, nullable: true }, size: { ...long, nullable: true } } }
      await insert(database.url, Wider, aThing({ id: 'u', name: null, size: null }))
      assert.deepEqual(await read(database.url, Wider), { ...aThing(), ...common })
      assert.deepEqual(await read(database.url, Wider, 'u'), { ...aThing({ id: 'u', name: null, size: null }), ...common })
      assert.deepEqual(await indexesOf(database.url), before)
    })

    for (const [what, changed, says] of [
      ['of another type', text, /column size of the table things is bigint not null, but this version declares text.* not null\./],
      [
        'that is now required',
        long,
        /column most of the table things is bigint, which may be null, but this version declares bigint not null\./,
      ],
    ] as const)
      test(`a column ${what} is rejected by name, and nothing is changed`, async () => {
        await using database = await migratedDatabase(flavour)
        const Standing = withColumns({ most: { ...long, nullable: true } })
        await insert(database.url, Standing, aThing({ most: null }))
        const before = await columnsOf(database.url)
        const field = changed === text ? 'size' : 'most'
        const Other = withColumns({ extra: { ...text, nullable: true }, ...Standing.columns, [field]: changed })
        await assert.rejects(openThing(database.url, Other), says)
        assert.deepEqual(await columnsOf(database.url), before)
        assert.equal((await read(database.url, Standing))?.id, 't')
      })

    test('a database whose tables a newer version declared is rejected by name and left unchanged, also after a wipe', async () => {
      await using database = await migratedDatabase(flavour)
      const Grown = withColumns({ shape: { ...text, nullable: true } })
      await insert(database.url, Grown, aThing({ shape: 'round' }))
      const before = await columnsOf(database.url)
      const says = /newer than this Postern: it has the column shape of the table things, which this version does not declare\. Start/
      await assert.rejects(openThing(database.url, withColumns({ colour: { ...text, nullable: true } })), says)
      await assert.rejects(openWith(database.url, recordTypes), /newer than this Postern: it has the table things, which/)
      assert.deepEqual(await columnsOf(database.url), before)
      assert.deepEqual(await read(database.url, Grown), { ...aThing({ shape: 'round' }), ...common })
      await used(database.url, Grown, (storage) => storage.wipe())
      await assert.rejects(openThing(database.url, Thing), says)
    })

    test('a version with one more migration is newer whatever it declares: a field that it no longer declares stays in the table', async () => {
      await using database = await migratedDatabase(flavour)
      await insert(database.url, Thing)
      const { size } = Thing.columns as { size: typeof long }
      const Shrunk: RecordType<AThing> = { ...Thing, columns: { size } }
      await assert.rejects(openThing(database.url, Shrunk), /it has the column name of the table things/)
      await remade(database.url, [...recordTypes, Shrunk])
      await insert(database.url, Shrunk, { id: 'u', size: 2 } as object as AThing)
      assert.deepEqual(await read(database.url, Thing), { ...aThing(), ...common })
      assert.deepEqual(await read(database.url, Thing, 'u'), { id: 'u', name: '', size: 2, ...common })
    })

    test("another program's table or view of the same name is rejected by name and left unchanged", async () => {
      await using database = await migratedDatabase(flavour)
      await rawRows(database.url, 'create table balances (id integer primary key, balance integer, deleted boolean)')
      await rawRows(database.url, 'create view overdrawn as select id, balance from balances where balance < 0')
      const says = (table: string) => new RegExp(`table ${table} was not made by Postern: it lacks .*created_at_ms.* POSTERN_DATABASE_URL`)
      for (const table of ['balances', 'overdrawn']) await assert.rejects(openThing(database.url, { ...Thing, table }), says(table))
      const columns = (await columnsOf(database.url)).filter(({ table }) => table === 'balances')
      assert.deepEqual(columns.map(({ column }) => column).sort(), ['balance', 'deleted', 'id'])
    })
  })

suite('making declared tables on postgres alone', () => {
  test('processes that start concurrently on an empty database make its tables once', async () => {
    await using database = await freshDatabase('postgres')
    const storages = await Promise.all(Array.from({ length: 4 }, () => openThing(database.url, Thing)))
    try {
      const made = await Promise.all(
        storages.map(({ records }, n) =>
          records.change(`acc${n}`, { nowMs: AT_MS }, (transaction) => transaction.insert(Thing, aThing({ id: `t${n}` }))),
        ),
      )
      assert.deepEqual(
        made.map((thing) => thing?.id),
        ['t0', 't1', 't2', 't3'],
      )
    } finally {
      for (const storage of storages) await storage.close()
    }
  })

  test('tables of the same names in another schema are ignored', async () => {
    await using database = await freshDatabase('postgres')
    await rawRows(
      database.url,
      'create schema other; create table other.things (id integer, balance integer); create index things_by_created_at on other.things (id)',
    )
    await insert(database.url, Thing)
    await insert(database.url, withColumns({}, { sortable: ['size'] }), aThing({ id: 'u' }))
    assert.equal((await read(database.url, Thing, 'u'))?.id, 'u')
    assert.deepEqual(await rawRows(database.url, 'select * from other.things'), [])
  })

  test('a schema of its own is enough in a shared database', async () => {
    await using database = await freshDatabase('postgres')
    for (const table of ['things', 'migrations', 'metadata', 'log_event']) await rawRows(database.url, `create table ${table} (id integer)`)
    await rawRows(database.url, 'create schema postern')
    const url = `${database.url}?options=${encodeURIComponent('-c search_path=postern')}`
    await insert(url, Thing)
    assert.deepEqual(await read(url, withColumns({ colour: { ...text, nullable: true } })), { ...aThing({ colour: null }), ...common })
    assert.deepEqual(new Set((await columnsOf(database.url)).map(({ column }) => column)), new Set(['id']))
  })
})
