import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { type RawBuilder, sql } from 'kysely'
import type { AnyResource } from '../../src/api/records/resource.ts'
import { AnyCard } from '../../src/endpoints/ads/resources/card.ts'
import { recordTypes } from '../../src/endpoints/index.ts'
import { createClock } from '../../src/lib/clock.ts'
import { keyOf, type ListQuery, NEWEST_FIRST, type RecordType, type SortKey } from '../../src/storage/records.ts'
import type { Engine } from '../../src/storage/sql/engine.ts'
import { openEngine } from '../../src/storage/sql/open-storage.ts'
import { countStatement, manyStatement, pageStatements } from '../../src/storage/sql/records/list-query.ts'
import { columnName, columnsRead, rowReader } from '../../src/storage/sql/records/row-codec.ts'
import { Clip } from '../stage/clips.ts'
import { migratedDatabase, type TestDatabase } from '../stage/database.ts'
import { databasesOf } from '../stage/databases.ts'
import { type AnyRecord, fillRecords, type Owner, recordOf } from '../stage/fill-records.ts'
import { aUser, openWith } from './samples.ts'

const MANY = 20_000
const PAGE = 200

/** The types whose lists are explained: with names and money, with little, and the one that is listed from another table. */
const listed = ['campaigns', 'funding_instruments', 'accounts'].map(
  (table) => recordTypes.find((recordType) => recordType.table === table)!,
)

const ownerOf = ({ listedFrom }: RecordType): Owner => (listedFrom ? { user_id: '101', host: 'production' } : { account_id: 'busy' })

const directions = (field: string): SortKey[] => [true, false].map((descending) => ({ field, descending }))

/** What the database would do, one step a line. */
async function planOf({ db, flavour }: Engine, statement: RawBuilder<unknown>): Promise<string> {
  const explain = flavour.name === 'sqlite' ? sql`explain query plan` : sql`explain`
  const { rows } = await sql<Record<string, string>>`${explain} ${statement}`.execute(db)
  return rows.map((row) => row.detail ?? row['QUERY PLAN']).join('\n')
}

/**
 * The keys of a page are read from the index of their sort, and not sorted before the limit. What comes after the limit is a page or two:
 * those that are shown and those that are hidden are merged, and accounts joined with their keys.
 */
const readsInOrder = {
  sqlite: /SEARCH k USING (COVERING )?INDEX \w+_by_.*\)(\n(?!USE TEMP B-TREE)|$)/g,
  postgres: /Limit [^\n]*\n *-> {2}Index (Only )?Scan (Backward )?using \w+_by_/g,
}

/** The index of the first key gives the order, and only what is the same in that is sorted. */
const sortsWithinTies = {
  sqlite: /SEARCH k USING (COVERING )?INDEX \w+_by_[^\n]*\n(?:USE TEMP B-TREE FOR LAST|$)/,
  postgres:
    /Limit [^\n]*\n *-> {2}Incremental Sort[^\n]*\n *Sort Key[^\n]*\n *Presorted Key[^\n]*\n *-> {2}Index Scan (Backward )?using \w+_by_/,
}

/** The records of the account are found by an index, and no table is read from end to end. */
const readsOwn = {
  sqlite: /SEARCH k USING (COVERING )?INDEX clips_\w+ \(account_id=\?/,
  postgres: /^(?![\s\S]*Seq Scan on clips)[\s\S]*Index (Scan|Only Scan) [\s\S]*account_id/,
}

/** The index is entered where the page before ended. */
const goesOn = {
  sqlite: /hidden=\? AND .*(\b(account_)?id\)?[<>])/,
  postgres: /Index Cond: .*hidden.*(ROW\(|\b(account_)?id [<>])/,
}

/** Clips of many other accounts, so that a plan must choose the account's own. */
const addOtherAccounts = async (url: string) => {
  for (const n of [1, 2, 3, 4])
    await fillRecords(
      url,
      Clip,
      { account_id: `other${n}` },
      Array.from({ length: MANY / 4 }, (_, place) => recordOf(Clip, place, `y${n}`)),
    )
}

for (const flavour of databasesOf(import.meta))
  suite(`plans of lists on ${flavour}`, () => {
    let database: TestDatabase
    let engine: Engine
    before(async () => {
      database = await migratedDatabase(flavour)
      const storage = await openWith(database.url, [...recordTypes, Clip])
      await storage.users.insert(aUser())
      await storage.close()
      for (const recordType of [...(listed as AnyResource[]), Clip]) {
        const records = Array.from({ length: MANY }, (_, n) => recordOf(recordType, n, 'x'))
        await fillRecords(database.url, recordType, ownerOf(recordType), records)
      }
      for (const [kind, count] of Object.entries({ POLL: MANY / 2, COMPONENT: PAGE * 2 })) {
        const records = Array.from({ length: count }, (_, n) => recordOf(AnyCard, n, kind.slice(0, 1).toLowerCase()))
        await fillRecords(database.url, AnyCard, { account_id: 'busy', kind }, records)
      }
      await addOtherAccounts(database.url)
      engine = await openEngine({ url: database.url, clock: createClock() })
      await sql`analyze`.execute(engine.db)
    })
    after(async () => {
      await engine.close()
      await database[Symbol.asyncDispose]()
    })

    for (const recordType of listed)
      for (const withDeleted of [false, true])
        test(`a page of ${recordType.table} comes from an index in its order, ${withDeleted ? 'with' : 'without'} the deleted`, async () => {
          for (const sort of recordType.sortable.flatMap(directions)) {
            const query: ListQuery = { scope: ownerOf(recordType), sort: [sort], limit: PAGE, withDeleted }
            const middle = await recordInTheMiddle(engine, recordType, query)
            const after = { values: [middle[sort.field]], key: keyOf(recordType, middle) }
            for (const [where, asked] of Object.entries({ first: query, deep: { ...query, after } }))
              for (const [place, statement] of pageStatements(recordType, engine.flavour, asked).entries()) {
                const plan = await planOf(engine, statement(PAGE))
                const which = `${where} page by ${sort.field} ${sort.descending ? 'descending' : 'ascending'}:\n${plan}`
                assert.equal(plan.match(readsInOrder[flavour])?.length, withDeleted ? 2 : 1, which)
                if (where === 'deep' && place === 0) assert.match(plan, goesOn[flavour], which)
              }
          }
        })

    test('cards of one kind are read in the order of the list, and no others', async () => {
      for (const field of ['created_at', 'updated_at', 'deleted', 'name'])
        for (const descending of [true, false]) {
          const scope = { account_id: 'busy', kind: 'COMPONENT' }
          const query: ListQuery = { scope, sort: [{ field, descending }], limit: PAGE, withDeleted: false }
          const [statement] = pageStatements(AnyCard, engine.flavour, query)
          const plan = await planOf(engine, statement!(PAGE))
          assert.match(plan, new RegExp(`cards_of_kind_by_${field}\\b`), plan)
          assert.doesNotMatch(plan, /TEMP B-TREE|Sort/, plan)
        }
    })

    test('a search among cards of one kind reads those with the prefix, and none of another kind', async () => {
      const scope = { account_id: 'busy', kind: 'COMPONENT' }
      const query: ListQuery = { scope, sort: [NEWEST_FIRST], limit: PAGE, withDeleted: false, search: 'zo' }
      const [statement] = pageStatements(AnyCard, engine.flavour, query)
      for (const asked of [statement!(PAGE), countStatement(AnyCard, engine.flavour, query)])
        assert.match(await planOf(engine, asked), /cards_of_kind_by_prefix\b/)
    })

    test('a search by terms reads the records of its account in the order of the list, and no others', async () => {
      const choose = { scope: ownerOf(Clip), search: 'strasse 2' }
      for (const withDeleted of [false, true])
        for (const filters of [[], [{ field: 'media_type', equals: 'GIF' }]]) {
          const query: ListQuery = { ...choose, sort: [NEWEST_FIRST], limit: PAGE, withDeleted, filters }
          const middle = await recordInTheMiddle(engine, Clip, query)
          const deep = { ...query, after: { values: [middle.created_at], key: keyOf(Clip, middle) } }
          for (const asked of [query, deep]) {
            const [statement, ...others] = pageStatements(Clip, engine.flavour, asked)
            assert.equal(others.length, 0)
            const plan = await planOf(engine, statement!(PAGE))
            if (filters.length === 0) assert.equal(plan.match(readsInOrder[flavour])?.length, withDeleted ? 2 : 1, plan)
            else assert.match(plan, readsOwn[flavour], plan)
          }
          const plan = await planOf(engine, countStatement(Clip, engine.flavour, query))
          assert.match(plan, readsOwn[flavour], plan)
        }
    })

    test('counting by a rare status reads only those records', async () => {
      const [recordType] = listed as [RecordType]
      const equal = sql`account_id = 'busy' and entity_status = 'NONE' and hidden = false`
      const plan = await planOf(
        engine,
        sql`select count(*) from (select 1 as one from ${sql.table(recordType.table)} where ${equal} limit 200) as found`,
      )
      assert.match(
        plan,
        /INDEX campaigns_counted_by_entity_status \(account_id=\? AND hidden=\? AND entity_status=\?\)|Only Scan using campaigns_counted_by_entity_status/,
      )
    })

    test('with several keys the index of the first gives the order, and only ties are sorted', async () => {
      const [recordType] = listed as [RecordType]
      const others: SortKey[] = [
        { field: 'start_time', descending: true },
        { field: 'total_budget_amount_local_micro', descending: false },
      ]
      for (const first of directions('name')) {
        const query: ListQuery = { scope: ownerOf(recordType), sort: [first, ...others], limit: PAGE, withDeleted: false }
        const middle = await recordInTheMiddle(engine, recordType, query)
        const after = { values: query.sort.map(({ field }) => middle[field]), key: keyOf(recordType, middle) }
        for (const asked of [query, { ...query, after }]) {
          const plan = await planOf(engine, pageStatements(recordType, engine.flavour, asked)[0]!(PAGE))
          assert.match(plan, sortsWithinTies[flavour])
        }
      }
    })

    test('a filter that many records match is checked in the order of the list, and gives the same page', async () => {
      const [recordType] = listed as [RecordType]
      const idsOfPage = async (query: ListQuery, leavesMany: boolean) => {
        const rows = []
        for (const statement of pageStatements(recordType, engine.flavour, query, leavesMany))
          rows.push(...(await statement(PAGE - rows.length).execute(engine.db)).rows)
        return rows.slice(0, PAGE).map((row) => (row as AnyRecord).id)
      }
      const filters: Partial<ListQuery>[] = [{ filters: [{ field: 'funding_instrument_id', anyOf: ['1', 'none'] }] }, { search: 'zo' }]
      const single = [...directions('created_at'), ...directions('start_time')].map((key) => [key])
      const sorts: SortKey[][] = [...single, [...directions('start_time').slice(1), ...directions('name').slice(0, 1)]]
      for (const filter of filters)
        for (const sort of sorts)
          for (const withDeleted of [false, true]) {
            const query: ListQuery = { scope: ownerOf(recordType), sort, limit: PAGE, withDeleted, ...filter }
            const middle = await recordInTheMiddle(engine, recordType, query)
            const after = { values: sort.map(({ field }) => middle[field]), key: keyOf(recordType, middle) }
            for (const asked of [query, { ...query, after }]) {
              const ids = await idsOfPage(asked, true)
              assert.deepEqual(ids, await idsOfPage(asked, false))
              assert.ok(ids.length > 0)
            }
            for (const statement of pageStatements(recordType, engine.flavour, query, true))
              if (flavour === 'sqlite') assert.match(await planOf(engine, statement(PAGE)), /USING INDEX \w+_by_(?!prefix)/)
          }
      const many = (search: string) => manyStatement(recordType, engine.flavour, { scope: ownerOf(recordType), search })!.execute(engine.db)
      assert.deepEqual([(await many('')).rows.length, (await many('zo')).rows.length], [1, 0])
    })
  })

/** A record with half of the list before it. */
async function recordInTheMiddle({ db, flavour }: Engine, recordType: RecordType, { sort }: ListQuery): Promise<AnyRecord> {
  const { rows } =
    await sql`select ${columnsRead(recordType, flavour, 'k.')} from ${sql.table(recordType.table)} as k order by ${sql.ref(`k.${columnName(recordType, sort[0]!.field)}`)}, id limit 1 offset ${MANY / 2}`.execute(
      db,
    )
  return rowReader(recordType)(rows[0]) as AnyRecord
}
