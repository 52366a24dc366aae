import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ListEndpoint } from '../../src/api/records/list-endpoint.ts'
import type { AnyResource, Filter } from '../../src/api/records/resource.ts'
import { SANDBOX } from '../../src/endpoints/ads/resources/account.ts'
import type { Long } from '../../src/lib/numbers.ts'
import { fieldOf, keyOf } from '../../src/storage/records.ts'
import { type AdsCall, type AdsParams, adsCaller, adsSeed, dataOf, mistakesOf } from './ads.ts'
import { type AnyRecord, fillRecords, type NAMES, type Owner, recordOf, removeRecords } from './fill-records.ts'
import { demoApp, type Stage } from './postern.ts'
import { ada, grace } from './sign-in.ts'
import { adas, graces } from './signed-calls.ts'

const hopper = { id: '103', username: 'hopper', name: 'Hopper' }
const hoppersToken = {
  consumer_key: demoApp.consumer_key,
  user_id: hopper.id,
  oauth_token: `${hopper.id}-${'h'.repeat(40)}`,
  oauth_token_secret: 'secret-h',
}

const accounts = ['busy', 'quiet'].map((id) => ({ id, name: id, sandbox: true, members: [{ user_id: ada.id, role: 'ACCOUNT_ADMIN' }] }))
/** A seed whose accounts `busy` and `quiet` are of the sandbox. */
export const listSeed = {
  ...adsSeed,
  users: [...(adsSeed.users ?? []), hopper],
  tokens: [...(adsSeed.tokens ?? []), hoppersToken],
  accounts,
} as typeof adsSeed

/** A list as one caller sees it, and whose records those are. */
interface View {
  read(params?: AdsParams): ReturnType<AdsCall>
  owner: Owner
  resource: AnyResource
}

/** The list as the owner of many records sees it, and as the owner of few. */
function viewsOf({ path, example, lists: resource }: ListEndpoint, stage: Stage): [busy: View, quiet: View] {
  const view = (accountId: string, credentials: typeof adas, owner: Owner): View => {
    const at = path.replaceAll(/:(\w+)/g, (_, name) => (name === 'account_id' ? accountId : String(example[name])))
    const ads = adsCaller(stage, 'sandbox', credentials)
    return { owner, resource, read: (params) => ads('GET', at, params) }
  }
  if (!resource.listedFrom) return [view('busy', adas, { account_id: 'busy' }), view('quiet', adas, { account_id: 'quiet' })]
  const hoppers = { ...demoApp, ...hoppersToken }
  return [view('', graces, { user_id: grace.id, host: SANDBOX }), view('', hoppers, { user_id: hopper.id, host: SANDBOX })]
}

const byText = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))

function compareValues(a: unknown, b: unknown): number {
  if (a === null || b === null) return Number(a !== null) - Number(b !== null)
  if (typeof a === 'string') return byText(a, b as string)
  return Number((a as Long) > (b as Long)) - Number((a as Long) < (b as Long))
}

/** Records in the order that `sort_by` asks for: nulls are less than all others, and the record's key is the last. */
function sorted(resource: AnyResource, records: readonly AnyRecord[], sort: readonly string[]): string[] {
  const keys = sort.map((key) => ({ field: key.replace(/-\w+$/, ''), sign: key.endsWith('-desc') ? -1 : 1 }))
  keys.push({ field: resource.key, sign: keys.at(-1)!.sign })
  const compare = (a: AnyRecord, b: AnyRecord) => {
    for (const { field, sign } of keys) {
      const order = compareValues(a[field], b[field])
      if (order !== 0) return order * sign
    }
    return 0
  }
  return keysOf(resource, records.toSorted(compare))
}

const keysOf = (resource: AnyResource, records: readonly object[]): string[] => records.map((record) => keyOf(resource, record))

/** Reads a list page by page to its end; `between` is done after each page. */
async function readAll({ read, resource }: View, params: AdsParams, between?: (page: number) => Promise<void>): Promise<string[]> {
  const seen: string[] = []
  let cursor: string | null = null
  for (let page = 0; page < 1000; page++) {
    const answer = await read({ ...params, ...(cursor !== null && { cursor }) })
    seen.push(...keysOf(resource, dataOf(answer)))
    cursor = answer.body.next_cursor
    if (cursor === null) return seen
    assert.equal(answer.body.data.length, params.count, 'a page before the last is full')
    await between?.(page)
  }
  throw new Error('a list without an end')
}

/** Beginnings of names, and the names that begin so when case does not count. */
const PREFIXES: [q: string, names: (typeof NAMES)[number][]][] = [
  ['strasse', ['Straße 1', 'STRASSE 2']],
  ['STRAß', ['Straße 1', 'STRASSE 2']],
  ['ὈΔΌς', ['ὀδός', 'ὈΔΌΣ 2']],
  ['ὀδόΣ', ['ὀδός', 'ὈΔΌΣ 2']],
  ['ZO', ['Zoo', 'zoo']],
  ['A', ['a']],
  ['ä', ['Ä']],
  ['\u{1F600}', ['\u{1F600} smile']],
  ['\uFFFD', ['\uFFFD odd']],
  ['100%_', ['100%_']],
  ['_', ['_']],
  ["O'", ["o'clock"]],
  ['nobody', []],
]

/** The words of names. */
const WORDS: Record<(typeof NAMES)[number], string[]> = {
  'Straße 1': ['strasse', '1'],
  'STRASSE 2': ['strasse', '2'],
  ὀδός: ['ὀδόσ'],
  'ὈΔΌΣ 2': ['ὀδόσ', '2'],
  Zoo: ['zoo'],
  zoo: ['zoo'],
  a: ['a'],
  Ä: ['ä'],
  '\u{1F600} smile': ['smile'],
  '\uFFFD odd': ['odd'],
  '100%_': ['100'],
  "o'clock": ['o', 'clock'],
}

/** What is searched for, and the beginnings of words that this asks for. */
const TERMS: [q: string, beginnings: string[]][] = [
  ['STRASSE', ['strasse']],
  ['straße', ['strasse']],
  ['str  2', ['str', '2']],
  ['ὈΔΌΣ', ['ὀδόσ']],
  ["o'clo", ['o', 'clo']],
  ['zo', ['zo']],
  ['lock', ['lock']],
]

const UNKNOWN = 'unknown0'

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
  after(() => removeRecords(stage().databaseUrl, resource, [...many, ...few]))

  test('what is there throughout comes exactly once and in order, whatever comes and goes between pages', async () => {
    const isGoing = (_: unknown, n: number) => n % 10 === 7
    const going = many.filter(isGoing)
    const staying = new Set(
      keysOf(
        resource,
        many.filter((record, n) => !isGoing(record, n) && !record.deleted),
      ),
    )
    const share = Math.ceil(going.length / 9)
    const seen = await readAll(busy, { count: count / 10 }, async (page) => {
      const guests = Array.from({ length: 20 }, (_, n) => recordOf(resource, n, `g${page}`))
      await fillRecords(stage().databaseUrl, resource, busy.owner, guests)
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
    test(`${sort} gives its order over all pages`, async () => {
      const withDeleted = { count: 7, sort_by: sort, with_deleted: true }
      assert.deepEqual(await readAll(quiet, withDeleted), sorted(resource, few, sort))
      assert.deepEqual(await readAll(quiet, { count: 13, sort_by: sort }), sorted(resource, shown, sort))
    })

  for (const [parameter, filter] of Object.entries(filters))
    test(`${parameter} filters, and counts`, async () => {
      const { sent, passes } = choiceOf(filter, few)
      const unknown = 'anyOf' in filter && takesUnknown(list.params[parameter]!) ? [UNKNOWN, sent[0]!.toUpperCase()] : []
      const asked = { [parameter]: Array.isArray(sent) ? [...sent, ...unknown] : sent, sort_by: ['created_at-asc'] }
      const chosen = few.filter(passes)
      assert.ok(chosen.length > 0 && chosen.length < few.length, 'the filter chooses some')
      const left = chosen.filter(({ deleted }) => !deleted)
      assert.deepEqual(await readAll(quiet, { ...asked, count: 2 }), sorted(resource, left, ['created_at-asc']))
      const { body } = await quiet.read({ ...asked, count: 1, with_total_count: true, with_deleted: true })
      assert.equal(body.total_count, chosen.length)
    })

  const finds = async (q: string, chosen: readonly AnyRecord[]) => {
    assert.deepEqual(await readAll(quiet, { q, count: 3, with_deleted: true }), sorted(resource, chosen, ['created_at-desc']), q)
    assert.deepEqual(
      await readAll(quiet, { q, count: 4, sort_by: ['updated_at-asc'] }),
      sorted(resource, visible(chosen), ['updated_at-asc']),
      q,
    )
    const { body } = await quiet.read({ q, with_total_count: true, with_deleted: true })
    assert.equal(body.total_count, chosen.length, q)
  }

  if (search && 'prefixOf' in search)
    test(`q is the beginning of ${search.prefixOf} in any case`, async () => {
      for (const [q, names] of PREFIXES)
        await finds(
          q,
          few.filter((record) => names.includes(record[search.prefixOf] as string)),
        )
    })

  if (search && 'termsOf' in search)
    test(`q has words that each begin a word of one of ${search.termsOf}, in any case`, async () => {
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

  test('a cursor is good for its own query alone', async () => {
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

  test('a count that is out of bounds, and a total with a cursor, are refused', async () => {
    const { maximum } = list.params.count as { maximum?: number }
    for (const count of [0, maximum! + 1]) assert.deepEqual(mistakesOf(await quiet.read({ count })), [400, 'INVALID_PARAMETER count'])
    const { next_cursor: cursor } = (await quiet.read({ count: 5 })).body
    const both = mistakesOf(await quiet.read({ count: 5, cursor, with_total_count: true }))
    assert.equal(both[0], 400)
    assert.match(String(both[1]), /^EXCLUSIVE_PARAMETERS/)
  })
}
