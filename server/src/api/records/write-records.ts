import { compileJsonObject, type JsonMember, writeJsonPieces } from '../../lib/json-members.ts'
import { writeExactJson } from '../../lib/numbers.ts'
import { wholeSeconds } from '../../lib/time.ts'
import { placeOfField, type RecordRow, recordReader } from '../../storage/record-rows.ts'
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

/** The computed fields of a row. */
type Computed = Readonly<Record<string, unknown>>

type Member = JsonMember<RecordRow, Computed>

const writers: Record<ColumnType, (value: unknown) => string> = {
  text: (value) => JSON.stringify(value),
  long: String,
  flag: (value) => (value ? 'true' : 'false'),
  time: (value) => `"${wholeSeconds(value as number)}"`,
  list: (value) => value as string,
}

function storedMember(resource: AnyResource, field: string, dialect: Dialect): Member {
  const { place, type } = placeOfField(resource, field)
  const write = writers[type]
  const unset = resource.omitsUnset ? undefined : 'null'
  return { name: dialect.out(field), write: (row) => (row[place] === null || row[place] === undefined ? unset : write(row[place])) }
}

function computedMember(field: string, dialect: Dialect): Member {
  const write = (value: unknown) => (value === undefined ? undefined : writeExactJson(value))
  return { name: dialect.out(field), write: (_row, computed) => write(computed[field]) }
}

const NOTHING: Computed = {}

function compileWriter(resource: AnyResource, dialect: Dialect): WriteRow {
  const { shownFields, derived } = resource
  const write = compileJsonObject([
    ...shownFields.map((field) => storedMember(resource, field, dialect)),
    ...derived.map((field) => computedMember(field, dialect)),
  ])
  if (derived.length === 0) return (row) => write(row, NOTHING)
  const readRecord = recordReader(resource, resource.derivedFrom)
  return (row, { record = readRecord(row), nowMs, parent, loaded }) => write(row, resource.computed(record, nowMs, parent, loaded))
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

const writeMembers = (values: object): string[] =>
  Object.entries(values).map(([name, value]) => `${JSON.stringify(name)}:${writeExactJson(value)}`)

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

  *pieces({ dialect }: WriteOptions, first: object = {}): Generator<string> {
    const write = writerOf(this.#resource, dialect)
    const before = writeMembers(first).map((member) => `${member},`)
    const after = writeMembers(this.#rest).map((member) => `,${member}`)
    yield `{${before.join('')}"data":[`
    yield* writeJsonPieces(this.#rows, (row) => write(row, this.#shownOf(row)))
    yield `]${after.join('')}}`
  }
}
