// Lists are written straight from rows, single records from objects: both must be the same JSON.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { adsEndpoints } from '../../scripts/all-endpoints.ts'
import { type DialectName, dialects } from '../../src/api/declare/dialect.ts'
import { notNull, type TSchema } from '../../src/api/declare/words.ts'
import type { ListEndpoint } from '../../src/api/records/list-endpoint.ts'
import type { AnyResource } from '../../src/api/records/resource.ts'
import { RecordsAnswer, type ShownRow } from '../../src/api/records/write-records.ts'
import { AnyCard } from '../../src/endpoints/ads/resources/card.ts'
import { MAX_LONG, wholeNumber, writeExactJson } from '../../src/lib/numbers.ts'
import { wholeSeconds } from '../../src/lib/time.ts'
import { type ColumnType, columnsOf, fieldOf, keyOf, type RecordType, type StoredRecord } from '../../src/storage/records.ts'
import { columnName, toRow } from '../../src/storage/sql/records/row-codec.ts'

const lists = adsEndpoints.filter((endpoint) => 'lists' in endpoint) as ListEndpoint[]
const resources = [...new Set([...lists.map((list) => list.lists), AnyCard as AnyResource])]

const LAST_SECOND = Date.parse('9999-12-31T23:59:59Z') / 1000

/** Texts of any characters; many of those that JSON escapes. */
const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.string({ unit: fc.constantFrom('"', '\\', '/', '\n', '\u0000', '\u001f', '\u007f', '\u2028', 'é', '\u{1F600}', 'a'), maxLength: 8 }),
)

const anyTime = fc.oneof(fc.nat({ max: LAST_SECOND }), fc.constantFrom(0, LAST_SECOND)).map((second) => wholeSeconds(second * 1000))

/** Values of columns, as records have them. */
const anyValue: Record<ColumnType, (word: TSchema) => fc.Arbitrary<unknown>> = {
  text: (word) => ('enum' in word ? fc.constantFrom(...(word.enum as string[])) : anyText),
  long: () =>
    fc.oneof(
      fc.integer(),
      fc.bigInt({ min: -MAX_LONG - 1n, max: MAX_LONG }).map((long) => wholeNumber(String(long))),
    ),
  flag: () => fc.boolean(),
  time: () => anyTime,
  list: () => fc.array(anyText, { maxLength: 3 }),
}

/** What the columns do not say of cards. */
const components = fc.array(fc.record({ type: fc.constant('DETAILS'), title: anyText }), { maxLength: 2 })
const kind = fc.constantFrom('COMPONENT', 'POLL', 'IMAGE_CONVERSATION', 'VIDEO_CONVERSATION')
const anyOf: Readonly<Record<string, fc.Arbitrary<unknown>>> = { components, slides: fc.array(components, { maxLength: 2 }), kind }

function recordOf(resource: RecordType): fc.Arbitrary<StoredRecord> {
  const wordOf = (field: string) => notNull((resource as AnyResource).fields[field] ?? {}).word
  const fields = Object.entries(columnsOf(resource)).map(([field, { type, nullable }]) => {
    const value = anyOf[field] ?? anyValue[type](wordOf(field))
    return [field, nullable ? fc.option(value) : value]
  })
  const only = Object.entries(resource.only ?? {}).map(([field, value]) => [field, fc.constant(value)])
  const values = Object.fromEntries([...fields, ...only])
  return fc.record({ [resource.key]: fc.string({ minLength: 1 }), ...values }) as fc.Arbitrary<StoredRecord>
}

type ReadValue = (stored: unknown, type: ColumnType) => unknown

/** What each database reads: SQLite has no booleans, and PostgreSQL reads every long as text. */
const databases: Record<string, ReadValue> = {
  SQLite: (stored) => (typeof stored === 'boolean' ? Number(stored) : typeof stored === 'bigint' ? String(stored) : stored),
  PostgreSQL: (stored, type) => (type === 'long' && stored !== null ? String(stored) : stored),
}

function rowOf(resource: RecordType, record: StoredRecord, read: ReadValue): unknown[] {
  const stored = toRow(resource, record)
  const values = Object.entries(columnsOf(resource)).map(([field, { type }]) => read(stored[columnName(resource, field)], type))
  return [keyOf(resource, record), ...values]
}

/** The members of a record in the order of lists: what is stored, then what is computed. */
function inListOrder({ shownFields, derived }: AnyResource, shown: object): object {
  const members = [...shownFields, ...derived].filter((field) => field in shown)
  assert.deepEqual(members.toSorted(), Object.keys(shown).toSorted())
  return Object.fromEntries(members.map((field) => [field, fieldOf(shown, field)]))
}

const write = (resource: AnyResource, rows: unknown[][], dialect: DialectName, shownOf: () => ShownRow) =>
  new RecordsAnswer(resource, rows, shownOf, { next_cursor: null }).write({ dialect: dialects[dialect], problemBaseUrl: '' })

/** Compares lists with single records, of whichever values. */
function assertSame(resource: AnyResource, dialect: DialectName, read: ReadValue) {
  const translate = dialects[dialect].answerTranslator(resource.schema) ?? ((value: unknown) => value)
  const parents = resource.needsParent ? recordOf(resource.childOf!.parent) : fc.constant(undefined)
  const property = fc.property(fc.array(recordOf(resource), { maxLength: 3 }), parents, anyTime, (records, parent, now) => {
    const shown: ShownRow = { nowMs: Date.parse(now), parent, loaded: undefined }
    const expected = records.map((record) => translate(inListOrder(resource, resource.present(record, shown.nowMs, parent))))
    const rows = records.map((record) => rowOf(resource, record, read))
    assert.equal(
      write(resource, rows, dialect, () => shown),
      writeExactJson({ data: expected, next_cursor: null }),
    )
  })
  fc.assert(property, { numRuns: 40 })
}

for (const [database, read] of Object.entries(databases))
  for (const dialect of ['spec', 'x'] as const)
    suite(`lists from rows of ${database}, in the dialect ${dialect}`, () => {
      for (const resource of resources)
        test(`${resource.title}: each record is what JSON.stringify writes of the single one`, () => assertSame(resource, dialect, read))
    })
