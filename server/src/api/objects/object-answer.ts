import { writeJsonPieces } from '../../lib/json-members.ts'
import { writeExactJson } from '../../lib/numbers.ts'
import type { ContentRow } from '../../storage/content-tables.ts'
import type { Dialect } from '../declare/dialect.ts'
import { NAMED_MEMBERS, type ProblemName, problemKinds } from '../declare/problem.ts'
import { type WriteOptions, WrittenAnswer } from '../declare/written-answer.ts'
import type { Shown, Spell } from './data-object.ts'
import { compileObjectWriter, type ObjectPlan } from './write-object.ts'

/** Why an object, or a field of it, is not in the answer (§7): a problem beside the data. */
export interface PartialError {
  kind: ProblemName
  /** A sentence, with names as the dialect spells them. */
  detail(spell: Spell): string
  /** Its members but `type`, `title` and `detail`; names in the words of the specification. */
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

function writeError({ kind, detail, members }: PartialError, { dialect, problemBaseUrl }: WriteOptions): string {
  const { suffix, title } = problemKinds[kind]
  const spell = (name: string) => dialect.out(name)
  const spelled = Object.entries(members).map(([name, value]) => [name, NAMED_MEMBERS.includes(name) ? spell(value as string) : value])
  return JSON.stringify({ ...Object.fromEntries(spelled), title, detail: detail(spell), type: `${problemBaseUrl}/${suffix}` })
}

/** An answer of data objects: `data`, `includes` grouped by kind, `errors` and `meta` (§2.9), written as JSON straight from rows. */
export class ObjectAnswer extends WrittenAnswer {
  readonly parts: ObjectAnswerParts

  constructor(parts: ObjectAnswerParts) {
    super()
    this.parts = parts
  }

  *pieces(options: WriteOptions): Generator<string> {
    const { data, includes, errors, meta, shown } = this.parts
    const { dialect } = options
    const rowsOf = ({ plan, rows }: ObjectRows) => {
      const write = writerOf(plan, dialect)
      return writeJsonPieces(rows, (row) => write(row, shown))
    }
    let before = '{'
    /** The beginning of a member. */
    const begin = (name: string) => {
      const text = `${before}"${name}":`
      before = ','
      return text
    }
    if (data) {
      yield begin('data') + (data.isList ? '[' : '')
      yield* rowsOf(data)
      if (data.isList) yield ']'
    }
    const included = includes.filter(({ rows }) => rows.length > 0)
    for (const [place, kind] of included.entries()) {
      yield `${place === 0 ? `${begin('includes')}{` : ','}"${dialect.out(kind.plan.object.plural)}":[`
      yield* rowsOf(kind)
      yield place === included.length - 1 ? ']}' : ']'
    }
    if (errors.length > 0) {
      yield `${begin('errors')}[`
      yield* writeJsonPieces(errors, (error) => writeError(error, options))
      yield ']'
    }
    if (meta) yield begin('meta') + writeExactJson(meta)
    yield before === '{' ? '{}' : '}'
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
