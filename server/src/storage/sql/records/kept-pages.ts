import type { RecordType } from '../../records.ts'
import type { Flavour } from '../flavour.ts'
import type { SqlDatabase } from '../sql-database.ts'
import { plainPageStatements, type StoredQuery } from './list-query.ts'

/** What a parameter of a kept statement is: a value of the query, or how many records are still missing. */
class Slot {
  readonly fill: (query: StoredQuery, missing: number) => unknown

  constructor(fill: (query: StoredQuery, missing: number) => unknown) {
    this.fill = fill
  }
}

const MISSING = new Slot((_query, missing) => missing)

/** A statement of a page that was built once: its text, and its parameters by query. */
export interface KeptStatement {
  text: string
  valuesFor(query: StoredQuery, missing: number): unknown[]
}

/** The query with slots for its values. A null stays, because the text says so. */
function withSlots(query: StoredQuery): StoredQuery {
  const scope = Object.keys(query.scope).map((name) => [name, new Slot(({ scope }) => scope[name])])
  const place = query.place && {
    key: new Slot(({ place }) => place!.key),
    values: query.place.values.map((value, at) => (value === null ? null : new Slot(({ place }) => place!.values[at]))),
  }
  return { ...query, scope: Object.fromEntries(scope), place }
}

/** What the text of a page depends on. */
const shapeOf = ({ scope, sort, withDeleted, place }: StoredQuery) =>
  `${Object.keys(scope)} ${sort.map(({ field, descending }) => (descending ? `-${field}` : field))} ${withDeleted} ${place?.values.map((value) => value === null)}`

/** The maximum of shapes of a record type; the oldest is evicted first. Clients ask for few, but a stranger can think of many. */
const MAX_SHAPES = 100

/** Keeps the statements of pages that are neither filtered nor searched: building one takes as long as reading some records. */
export function createKeptPages(db: SqlDatabase['db'], flavour: Flavour) {
  const kept = new WeakMap<RecordType, Map<string, readonly KeptStatement[]>>()

  const build = (recordType: RecordType, query: StoredQuery): KeptStatement[] =>
    plainPageStatements(recordType, flavour, withSlots(query)).map((statement) => {
      const { sql: text, parameters } = statement(MISSING).compile(db)
      return {
        text,
        valuesFor: (of, missing) => parameters.map((value) => (value instanceof Slot ? value.fill(of, missing) : value)),
      }
    })

  return (recordType: RecordType, query: StoredQuery): readonly KeptStatement[] => {
    const shapes = kept.get(recordType) ?? new Map<string, readonly KeptStatement[]>()
    kept.set(recordType, shapes)
    const shape = shapeOf(query)
    const known = shapes.get(shape)
    if (known) return known
    if (shapes.size >= MAX_SHAPES) shapes.delete(shapes.keys().next().value!)
    const built = build(recordType, query)
    shapes.set(shape, built)
    return built
  }
}
