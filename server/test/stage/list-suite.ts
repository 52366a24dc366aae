import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ListEndpoint } from '../../src/api/records/list-endpoint.ts'
import type { Filter } from '../../src/api/records/resource-declaration.ts'
import { fieldOf } from '../../src/storage/records.ts'
import { mistakesOf } from './ads.ts'
import { type AnyRecord, fillRecords, recordOf, removeRecords } from './fill-records.ts'
import { compareValues, keysOf, readAll, sorted, type View, viewsOf } from './list-views.ts'
import type { Stage } from './postern.ts'
import { PREFIXES, TERMS, WORDS } from './search-samples.ts'

const UNKNOWN = 'unknown0'

/** The most that a list takes as `count` (§4.4). */
const LONG_PAGE = 1000

/** Whether a list of values takes one that no record has. */
function takesUnknown(word: object): boolean {
  const { enum: known, pattern = '' } = fieldOf(word, 'items') as { enum?: string[]; pattern?: string }
  return known === undefined && new RegExp(pattern, 'u').test(UNKNOWN)
}

const areSame = (one: unknown, other: unknown) => compareValues(one, other) === 0

/** Values to filter by, the text of the parameter, and whether a record passes. */
function choiceOf(filter: Filter, few: readonly AnyRecord[]) {
  if ('equals' in filter) {
    const value = few.map((record) => record[filter.equals]).find((each) => each !== null)
    return { sent: value as string, passes: (record: AnyRecord) => areSame(record[filter.equals], value) }
  }
  const valuesOf = (records: readonly AnyRecord[]) => [
    ...new Set(records.flatMap((record) => (record[filter.anyOf] as string | null) ?? [])),
  ]
  const some = valuesOf(few.slice(1, 6))
  const values = some.length < valuesOf(few).length ? some : some.slice(1)
  return { sent: values, passes: (record: AnyRecord) => values.includes(record[filter.anyOf] as string) }
}

export interface ListSuite {
  stage: () => Stage
  /** A list of something else, whose cursors are of no use here. */
  other: ListEndpoint
  /** How many records one owner has. */
  many: number
}

/** Tests of a list: all that it does follows from the declaration of its resource. */
export function testList(list: ListEndpoint, { stage, other, many: count }: ListSuite) {
  const resource = list.lists
  const { filters, search } = resource
  const many = Array.from({ length: count }, (_, n) => recordOf(resource, n, 'm'))
  const few = Array.from({ length: 60 }, (_, n) => recordOf(resource, n, 'f'))
  const visible = (records: readonly AnyRecord[]) => records.filter(({ deleted }) => !deleted)
  const shown = visible(few)
  const sorts = resource.sortable.flatMap((field) => [`${field}-asc`, `${field}-desc`])
  const empty = resource.sortable.find((field) => resource.columns[field]?.nullable) ?? 'deleted'
  const firstFilter = Object.keys(filters)[0]
  let busy: View
  let quiet: View

  before(async () => {
    ;[busy, quiet] = viewsOf(list, stage())
    await fillRecords(stage().databaseUrl, resource, busy.owner, many)
    await fillRecords(stage().databaseUrl, resource, quiet.owner, few)
  })
  const added: AnyRecord[] = []
  after(() => removeRecords(stage().databaseUrl, resource, [...many, ...few, ...added]))

  if (count >= LONG_PAGE)
    test('a long page, which is read in parts, has every record once and in order', async () => {
      const sort = [`${empty}-desc`, 'updated_at-asc', 'created_at-desc']
      const { body } = await busy.read({ count: LONG_PAGE, sort_by: sort, with_deleted: true })
      const expected = sorted(resource, many, sort)
      assert.deepEqual(keysOf(resource, body.data), expected.slice(0, LONG_PAGE))
      assert.equal(body.next_cursor === null, expected.length === LONG_PAGE)
    })

  test('records that exist throughout are listed exactly once and in order, whatever is created or deleted between pages', async () => {
    const isGoing = (_: unknown, n: number) => n % 10 === 7
    const going = many.filter(isGoing)
    const staying = new Set(
      keysOf(
        resource,
        many.filter((record, n) => !isGoing(record, n) && !record.deleted),
      ),
    )
    const share = Math.ceil(going.length / 4)
    const most = fieldOf(list.params.count!, 'maximum') as number
    const seen = await readAll(busy, { count: Math.min(count / 5, most) }, async (page) => {
      const guests = Array.from({ length: 20 }, (_, n) => recordOf(resource, n, `g${page}`))
      await fillRecords(stage().databaseUrl, resource, busy.owner, guests)
      added.push(...guests)
      await removeRecords(stage().databaseUrl, resource, going.slice(page * share, (page + 1) * share))
    })
    assert.equal(new Set(seen).size, seen.length, 'none comes twice')
    assert.deepEqual(
      seen.filter((key) => staying.has(key)),
      sorted(resource, many, ['created_at-desc']).filter((key) => staying.has(key)),
    )
  })

  for (const sort of [
    ...sorts.map((one) => [one]),
    [sorts.at(-1)!, 'created_at-asc'],
    [`${empty}-desc`, 'updated_at-asc', 'created_at-desc'],
  ])
    test(`${sort} orders the list over all pages`, async () => {
      const withDeleted = { count: 23, sort_by: sort, with_deleted: true }
      assert.deepEqual(await readAll(quiet, withDeleted), sorted(resource, few, sort))
      assert.deepEqual(await readAll(quiet, { count: 31, sort_by: sort }), sorted(resource, shown, sort))
    })

  for (const [parameter, filter] of Object.entries(filters))
    test(`${parameter} filters, and counts`, async () => {
      const { sent, passes } = choiceOf(filter, few)
      const unknown = 'anyOf' in filter && takesUnknown(list.params[parameter]!) ? [UNKNOWN, sent[0]!.toUpperCase()] : []
      const asked = { [parameter]: Array.isArray(sent) ? [...sent, ...unknown] : sent, sort_by: ['created_at-asc'] }
      const chosen = few.filter(passes)
      assert.ok(chosen.length > 0 && chosen.length < few.length, 'the filter chooses some')
      const left = chosen.filter(({ deleted }) => !deleted)
      assert.deepEqual(await readAll(quiet, { ...asked, count: 5 }), sorted(resource, left, ['created_at-asc']))
      const { body } = await quiet.read({ ...asked, count: 1, with_total_count: true, with_deleted: true })
      assert.equal(body.total_count, chosen.length)
    })

  const finds = async (q: string, chosen: readonly AnyRecord[]) => {
    assert.deepEqual(await readAll(quiet, { q, count: 7, with_deleted: true }), sorted(resource, chosen, ['created_at-desc']), q)
    assert.deepEqual(
      await readAll(quiet, { q, count: 9, sort_by: ['updated_at-asc'] }),
      sorted(resource, visible(chosen), ['updated_at-asc']),
      q,
    )
    const { body } = await quiet.read({ q, with_total_count: true, with_deleted: true })
    assert.equal(body.total_count, chosen.length, q)
  }

  if (search && 'prefixOf' in search)
    test(`q is a case-insensitive prefix of ${search.prefixOf}`, async () => {
      for (const [q, names] of PREFIXES)
        await finds(
          q,
          few.filter((record) => names.includes(record[search.prefixOf] as string)),
        )
    })

  if (search && 'termsOf' in search)
    test(`q has words that are prefixes of words in one of ${search.termsOf}, case-insensitively`, async () => {
      const wordsOf = (record: AnyRecord) => search.termsOf.flatMap((field) => WORDS[String(record[field])] ?? [])
      for (const [q, beginnings] of TERMS) {
        const holds = (record: AnyRecord) => beginnings.every((beginning) => wordsOf(record).some((word) => word.startsWith(beginning)))
        assert.equal(few.some(holds), q !== 'lock', q)
        await finds(q, few.filter(holds))
      }
      const ofFields = (record: AnyRecord) => [...new Set(search.termsOf.flatMap((field) => WORDS[String(record[field])]?.[0] ?? []))]
      const apart = few.map(ofFields).find((words) => words.length > 1)
      assert.ok(apart || search.termsOf.length === 1, 'a record has words in two of its fields')
      if (apart) {
        const [one, two] = apart as [string, string]
        const holds = (record: AnyRecord) => [one, two].every((part) => wordsOf(record).some((word) => word.startsWith(part)))
        await finds(`${two} ${one}`, few.filter(holds))
      }
      await finds('%_', [])
    })

  test('the total is that of all pages', async () => {
    const { body } = await quiet.read({ count: 5, with_total_count: true })
    assert.deepEqual([body.data.length, body.total_count], [5, shown.length])
    assert.equal((await quiet.read({ count: 5, with_total_count: true, with_deleted: true })).body.total_count, few.length)
    assert.equal('total_count' in (await quiet.read({ count: 5 })).body, false)
  })

  test('a cursor is valid only for its own query', async () => {
    const params = { count: 5, sort_by: ['updated_at-desc'] }
    const { next_cursor: cursor } = (await quiet.read(params)).body
    assert.equal((await quiet.read({ ...params, count: 6, cursor })).status, 200)
    const others = viewsOf(other, stage())[1]
    const wrong = {
      'another order': await quiet.read({ ...params, sort_by: ['updated_at-asc'], cursor }),
      'with the deleted': await quiet.read({ ...params, with_deleted: true, cursor }),
      ...(firstFilter && {
        'another filter': await quiet.read({ ...params, [firstFilter]: choiceOf(filters[firstFilter]!, few).sent, cursor }),
      }),
      'of another owner': await busy.read({ ...params, cursor }),
      'of another list': await others.read({ ...params, cursor }),
      'cut off': await quiet.read({ ...params, cursor: cursor.slice(0, -3) }),
      'made longer': await quiet.read({ ...params, cursor: `${cursor}AAAA` }),
      'without values': await quiet.read({ ...params, cursor: cursor.slice(0, 12) + Buffer.from('[[],"x"]').toString('base64url') }),
      'with a value of another type': await quiet.read({
        ...params,
        cursor: cursor.slice(0, 12) + Buffer.from('[["soon"],"x"]').toString('base64url'),
      }),
      'an object': await quiet.read({ ...params, cursor: cursor.slice(0, 12) + Buffer.from('{}').toString('base64url') }),
      'a number': await quiet.read({ ...params, cursor: cursor.slice(0, 12) + Buffer.from('5').toString('base64url') }),
      'no cursor at all': await quiet.read({ ...params, cursor: 'x' }),
    }
    for (const [which, answer] of Object.entries(wrong)) assert.deepEqual(mistakesOf(answer), [400, 'INVALID_PARAMETER cursor'], which)
  })

  test('a count out of bounds, and a total with a cursor, are rejected', async () => {
    const { maximum } = list.params.count as { maximum?: number }
    for (const count of [0, maximum! + 1]) assert.deepEqual(mistakesOf(await quiet.read({ count })), [400, 'INVALID_PARAMETER count'])
    const { next_cursor: cursor } = (await quiet.read({ count: 5 })).body
    const both = mistakesOf(await quiet.read({ count: 5, cursor, with_total_count: true }))
    assert.equal(both[0], 400)
    assert.match(String(both[1]), /^EXCLUSIVE_PARAMETERS/)
  })
}
