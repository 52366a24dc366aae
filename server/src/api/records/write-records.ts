import { compileJsonObject, type JsonMember, writeJsonItems } from '../../lib/json-members.ts'
import { writeExactJson } from '../../lib/numbers.ts'
import { wholeSeconds } from '../../lib/time.ts'
import { placeOfField, type RecordRow, recordOfRow } from '../../storage/record-rows.ts'
import type { ColumnType, StoredRecord } from '../../storage/records.ts'
import type { Dialect } from '../declare/dialect.ts'
import { type WriteOptions, WrittenAnswer } from '../declare/written-answer.ts'
import type { AnyResource } from './resource.ts'

/** What fields are computed from besides the record. */
export interface ShownRow {
  nowMs: number
  parent: StoredRecord | undefined
  loaded: unknown
  /** The record of the row, where it is known already. */
  record?: StoredRecord
}

type WriteRow = (row: RecordRow, shown: ShownRow) => string

const writers: Record<ColumnType, (value: unknown) => string> = {
  text: (value) => JSON.stringify(value),
  long: String,
  flag: (value) => (value ? 'true' : 'false'),
  time: (value) => `"${wholeSeconds(value as number)}"`,
  list: (value) => value as string,
}

function storedMember(resource: AnyResource, field: string, dialect: Dialect): JsonMember<RecordRow, ShownRow> {
  const { place, type } = placeOfField(resource, field)
  const write = writers[type]
  const unset = resource.omitsUnset ? undefined : 'null'
  return { name: dialect.out(field), write: (row) => (row[place] === null || row[place] === undefined ? unset : write(row[place])) }
}

/** Writes a record with fields that are computed: these are made once for each row. */
function withDerived(resource: AnyResource, stored: WriteRow, dialect: Dialect): WriteRow {
  const { derived, omitsUnset } = resource
  if (derived.length === 0) return stored
  const isOmitted = (value: unknown) => value === undefined || (omitsUnset && value === null)
  const names = derived.map((field) => [field, JSON.stringify(dialect.out(field))] as const)
  return (row, shown) => {
    const record = shown.record ?? recordOfRow(resource, row)
    const values = resource.computed(record, shown.nowMs, shown.parent, shown.loaded)
    const members = names.flatMap(([field, name]) => (isOmitted(values[field]) ? [] : `,${name}:${writeExactJson(values[field])}`))
    return `${stored(row, shown).slice(0, -1)}${members.join('')}}`
  }
}

function compileWriter(resource: AnyResource, dialect: Dialect): WriteRow {
  const members = resource.shownFields.map((field) => storedMember(resource, field, dialect))
  return withDerived(resource, compileJsonObject(members), dialect)
}

const compiled = new WeakMap<AnyResource, Map<string, WriteRow>>()

/** How a resource's records are written in a dialect, compiled once: every field is there, null where it is unset, unless its resource omits those. */
function writerOf(resource: AnyResource, dialect: Dialect): WriteRow {
  const known = compiled.get(resource) ?? new Map<string, WriteRow>()
  compiled.set(resource, known)
  const writer = known.get(dialect.name) ?? compileWriter(resource, dialect)
  known.set(dialect.name, writer)
  return writer
}

/** A list of records, written from rows. */
export class RecordsAnswer extends WrittenAnswer {
  readonly #resource: AnyResource
  readonly #rows: readonly RecordRow[]
  readonly #shownOf: (row: RecordRow) => ShownRow
  readonly #rest: object

  /** `rest` stands after the data: the cursor, and the total. */
  constructor(resource: AnyResource, rows: readonly RecordRow[], shownOf: (row: RecordRow) => ShownRow, rest: object) {
    super()
    this.#resource = resource
    this.#rows = rows
    this.#shownOf = shownOf
    this.#rest = rest
  }

  write({ dialect }: WriteOptions, first: object = {}): string {
    const write = writerOf(this.#resource, dialect)
    const members = (values: object) => Object.entries(values).map(([name, value]) => `${JSON.stringify(name)}:${writeExactJson(value)}`)
    const data = `"data":[${writeJsonItems(this.#rows, (row) => write(row, this.#shownOf(row)))}]`
    return `{${[...members(first), data, ...members(this.#rest)].join()}}`
  }
}
