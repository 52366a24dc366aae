import { writeJsonItems } from '../../lib/json-members.ts'
import { writeExactJson } from '../../lib/numbers.ts'
import type { ContentRow } from '../../storage/content-tables.ts'
import type { Dialect } from '../declare/dialect.ts'
import { type ProblemName, problemKinds } from '../declare/problem.ts'
import { type WriteOptions, WrittenAnswer } from '../declare/written-answer.ts'
import type { Shown } from './data-object.ts'
import { compileObjectWriter, type ObjectPlan } from './write-object.ts'

/** Why an object, or a field of it, is not in the answer (§7): a problem beside the data. */
export interface PartialError {
  kind: ProblemName
  /** A sentence; `name` is the object's name in the dialect, `parameter` that of the member `parameter`. */
  detail(name: string, parameter: string): string
  /** What the object is called: `post`. */
  title: string
  /** Its members but `type`, `title` and `detail`; `resource_type` in the words of the specification. */
  members: Readonly<Record<string, unknown>>
}

/** Rows of one kind of object. */
export interface ObjectRows {
  plan: ObjectPlan
  rows: readonly ContentRow[]
}

export interface ObjectAnswerParts {
  /** One object, several, or undefined: none was found, and `data` is left out. */
  data: (ObjectRows & { isList: boolean }) | undefined
  includes: readonly ObjectRows[]
  errors: readonly PartialError[]
  meta?: object
  shown: Shown
}

/** The value of a resource type in a dialect, and of a detail that names it. */
const inDialect = (value: unknown, { out }: Dialect) => (typeof value === 'string' ? out(value) : value)

function writeError({ kind, detail, title: name, members }: PartialError, { dialect, problemBaseUrl }: WriteOptions): string {
  const { suffix, title } = problemKinds[kind]
  const { resource_type, field, ...others } = members
  const parameter = dialect.out(String(members.parameter))
  return JSON.stringify({
    ...others,
    ...(members.parameter !== undefined && { parameter }),
    ...(resource_type !== undefined && { resource_type: inDialect(resource_type, dialect) }),
    ...(field !== undefined && { field: inDialect(field, dialect) }),
    ...{ title, detail: detail(dialect.out(name), parameter), type: `${problemBaseUrl}/${suffix}` },
  })
}

/** An answer of data objects: `data`, `includes` grouped by kind, `errors` and `meta` (§2.9), written as JSON straight from rows. */
export class ObjectAnswer extends WrittenAnswer {
  readonly parts: ObjectAnswerParts

  constructor(parts: ObjectAnswerParts) {
    super()
    this.parts = parts
  }

  write(options: WriteOptions): string {
    const { data, includes, errors, meta, shown } = this.parts
    const { dialect } = options
    const rowsOf = ({ plan, rows }: ObjectRows): string => {
      const write = writerOf(plan, dialect)
      return writeJsonItems(rows, (row) => write(row, shown))
    }
    const members: string[] = []
    if (data) members.push(`"data":${data.isList ? `[${rowsOf(data)}]` : rowsOf(data)}`)
    const included = includes.filter(({ rows }) => rows.length > 0)
    if (included.length > 0) {
      const kinds = included.map((kind) => `${JSON.stringify(dialect.out(kind.plan.object.plural))}:[${rowsOf(kind)}]`)
      members.push(`"includes":{${kinds.join()}}`)
    }
    if (errors.length > 0) members.push(`"errors":[${errors.map((error) => writeError(error, options)).join()}]`)
    if (meta) members.push(`"meta":${writeExactJson(meta)}`)
    return `{${members.join()}}`
  }
}

const compiled = new WeakMap<ObjectPlan, Map<string, ReturnType<typeof compileObjectWriter>>>()

/** The writer of a plan, compiled once for each dialect. */
function writerOf(plan: ObjectPlan, dialect: Dialect) {
  const known = compiled.get(plan) ?? new Map<string, ReturnType<typeof compileObjectWriter>>()
  compiled.set(plan, known)
  const writer = known.get(dialect.name) ?? compileObjectWriter(plan, dialect)
  known.set(dialect.name, writer)
  return writer
}
