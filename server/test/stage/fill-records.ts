import { DatabaseSync } from 'node:sqlite'
import { Client } from 'pg'
import { notNull, type TSchema } from '../../src/api/declare/words.ts'
import type { AnyResource } from '../../src/api/records/resource.ts'
import { type Long, MAX_LONG, writeExactJson } from '../../src/lib/numbers.ts'
import { wholeSeconds } from '../../src/lib/time.ts'
import { keyOf, type StoredRecord } from '../../src/storage/records.ts'
import { LISTED } from '../../src/storage/sql/records/account-transaction.ts'
import { toRow } from '../../src/storage/sql/records/row-codec.ts'
import { rawRows } from '../storage/samples.ts'

/** A record with fields of whichever kind. */
export type AnyRecord = StoredRecord & Record<string, unknown>

/** Names that sort differently by code point, by UTF-16 and by dictionary, some of them the same but for their case. */
export const NAMES = [
  'Straße 1',
  'STRASSE 2',
  'ὀδός',
  'ὈΔΌΣ 2',
  'Zoo',
  'zoo',
  'a',
  'Ä',
  '\u{1F600} smile',
  '\uFFFD odd',
  '100%_',
  '_',
  "o'clock",
]

const START_MS = Date.parse('2026-03-01T12:00:00Z')

/** Neighbours that are one and the same as doubles. */
export const LARGE_LONGS: readonly Long[] = [
  Number.MAX_SAFE_INTEGER,
  ...[2n ** 53n, 2n ** 53n + 1n, 2n ** 53n + 2n, 2n ** 62n + 1n, MAX_LONG - 1n, MAX_LONG],
]

interface Word {
  type?: string
  long?: number
  enum?: (string | number)[]
  items?: TSchema
  minItems?: number
  minimum?: number
  maximum?: number
  pattern?: string
  maxLength?: number
  examples?: unknown[]
}

/** A value of a word: one of few, so that many records have the same. */
function aValueOf(schema: TSchema, type: string, n: number): unknown {
  const word = schema as Word
  if (word.enum) return word.enum[n % word.enum.length]
  if (type === 'time') return wholeSeconds(START_MS + (n % 7) * 1000)
  if (type === 'flag') return n % 2 === 0
  if (word.long !== undefined) return [word.long + (n % 5) * 11, ...LARGE_LONGS][n % (LARGE_LONGS.length + 1)]
  if (type === 'long') return Math.min((word.minimum ?? 0) + (n % 9) * 11, word.maximum ?? Number.MAX_SAFE_INTEGER)
  if (type === 'list')
    return word.items ? Array.from({ length: Math.max(word.minItems ?? 0, n % 2) }, () => aValueOf(word.items!, 'text', n)) : []
  if (word.pattern === undefined) return word.examples?.[0] ?? NAMES[n % NAMES.length]!.slice(0, word.maxLength)
  return [String((n % 8) + 1), `card://${(n % 8) + 1}`, word.examples?.[0]].find((value) =>
    new RegExp(word.pattern!, 'u').test(String(value)),
  )
}

/** Whether a field is searched: it gets a name of those that test that. */
const isNamed = ({ search }: AnyResource, field: string) =>
  field === 'name' || (search !== undefined && 'termsOf' in search && search.termsOf.includes(field))

/** The key of a number: base 36 behind the prefix, or digits where the word wants those. */
function keyFor({ keyWord }: AnyResource, n: number, prefix: string): string {
  const number = `${Number.parseInt(prefix, 36)}${String(n).padStart(6, '0')}`
  return [`${prefix}${n.toString(36)}`, number, `3_${number}`].find((key) => new RegExp((keyWord as Word).pattern ?? '', 'u').test(key))!
}

/** The record of a number: its key is its own, and it shares all else with others; where a field may be null, each third is. */
export function recordOf(resource: AnyResource, n: number, prefix: string): AnyRecord {
  const { fields, columns, key } = resource
  const known = Object.entries(columns).map(([field, { type, nullable }], place) => {
    const mixed = (Math.imul(n + 1, 2_654_435_761) >>> 7) + place * 5
    const value = () => (isNamed(resource, field) ? NAMES[mixed % NAMES.length]! : aValueOf(notNull(fields[field] ?? {}).word, type, mixed))
    return [field, nullable && mixed % 3 === 0 ? null : value()]
  })
  const at = (offset: number) => wholeSeconds(START_MS + ((n * 7) % (offset + 40)) * 1000)
  const own = { [key]: keyFor(resource, n, prefix), created_at: at(1), updated_at: at(2), deleted: n % 10 === 3 }
  return { ...Object.fromEntries(known), ...own }
}

type Row = Record<string, unknown>

function intoSqlite(path: string, table: string, columns: string[], rows: Row[]) {
  using file = new DatabaseSync(path, { timeout: 5000 })
  file.exec('begin immediate')
  const insert = file.prepare(`insert into "${table}" (${columns.map((it) => `"${it}"`)}) values (${columns.map(() => '?')})`)
  for (const row of rows)
    insert.run(...(columns.map((column) => (typeof row[column] === 'boolean' ? Number(row[column]) : row[column])) as string[]))
  file.exec('commit')
}

async function intoPostgres(url: string, table: string, columns: string[], rows: Row[]) {
  const client = new Client({ connectionString: url })
  await client.connect()
  const names = columns.map((column) => `"${column}"`).join()
  const query = `insert into "${table}" (${names}) select ${names} from json_populate_recordset(null::"${table}", $1::json)`
  await client.query(query, [writeExactJson(rows)]).finally(() => client.end())
}

/** Inserts rows of the same columns into a table, in one transaction, past the storage. */
export async function insertRows(url: string, table: string, rows: Row[]) {
  const columns = Object.keys(rows[0] ?? {})
  if (url.startsWith('sqlite:')) intoSqlite(url.slice('sqlite:'.length), table, columns, rows)
  else await intoPostgres(url, table, columns, rows)
}

/** Whose the records are: the values by which a list chooses them. */
export type Owner = Readonly<Record<string, string>>

/** Inserts records for an owner; accounts with their owner as a member. Those that are deleted are hidden. */
export async function fillRecords(url: string, recordType: AnyResource, owner: Owner, records: readonly AnyRecord[]) {
  const { user_id, ...scope } = owner
  const rows: Row[] = records.map((record) => ({ ...toRow(recordType, record), ...scope, hidden: record.deleted }))
  await insertRows(url, recordType.table, rows)
  if (!recordType.listedFrom) return
  const listed = (row: Row) => Object.fromEntries(LISTED.map((column) => [column, row[column]]))
  await insertRows(
    url,
    recordType.listedFrom,
    rows.map((row) => ({ user_id, account_id: row.id, role: 'ACCOUNT_ADMIN', ...listed(row) })),
  )
}

/** Takes records out of the database as if they had never been. */
export async function removeRecords(url: string, resource: AnyResource, records: readonly AnyRecord[]) {
  const { table, listedFrom, key } = resource
  const ids = records.map((record) => `'${keyOf(resource, record)}'`).join()
  if (ids === '') return
  if (listedFrom) await rawRows(url, `delete from "${listedFrom}" where account_id in (${ids})`)
  await rawRows(url, `delete from "${table}" where "${key}" in (${ids})`)
}
