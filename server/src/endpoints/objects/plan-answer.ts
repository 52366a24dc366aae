import { LRUCache } from 'lru-cache'
import type { DataObject, Expansion, ObjectField } from '../../api/objects/data-object.ts'
import { type Kinds, selectionOf } from '../../api/objects/selection.ts'
import { type ObjectPlan, planObject } from '../../api/objects/write-object.ts'
import type { ContentRow } from '../../storage/content-tables.ts'
import { objectOfKind } from './index.ts'
import { authorColumns, visibilityColumns } from './visibility.ts'

/** An expansion that a request asks for. */
export interface AskedExpansion {
  name: string
  /** The kind of the objects that it adds. */
  to: string
  /** The one that adds the posts from which it starts; undefined for one that starts from the main objects. */
  after: AskedExpansion | undefined
  /** The keys that a row from which it starts refers to. */
  keysOf(row: ContentRow): readonly string[]
}

/** What a request asks for, planned: what is read of each kind of object, and from which fields it is expanded. */
export interface AnswerPlan {
  main: ObjectPlan
  /** The plans of the objects that are included, by kind. */
  included: ReadonlyMap<string, ObjectPlan>
  expansions: readonly AskedExpansion[]
  /** What was asked for of each kind that only the owner of an object may read; none of kinds without it. */
  privateFields: ReadonlyMap<string, PrivateFields>
  /** Whether a selected field needs the relations between the viewer and users. */
  needsRelations: boolean
}

/** A field that only the owner of an object may read, with an access token that has its scope. */
export interface PrivateField extends Pick<ObjectField, 'only' | 'scope'> {
  /** Its names in problems. */
  names: readonly string[]
}

export interface PrivateFields {
  fields: readonly PrivateField[]
  /** Whether nothing else was asked for of the object. */
  isNothingElseRequested: boolean
}

/** As problems name a field: each member of an object by itself. */
function namesOf(name: string, { word }: ObjectField): readonly string[] {
  const members = Object.keys((word as { properties?: object }).properties ?? {})
  return members.length > 0 ? members.map((member) => `${name}.${member}`) : [name]
}

/** Those of the named fields that only the owner of an object may read; undefined for none. */
function privateFieldsOf({ fields }: DataObject, named: readonly string[]): PrivateFields | undefined {
  const isPrivate = (name: string) => fields[name]?.only === 'owner'
  if (!named.some(isPrivate)) return undefined
  return {
    fields: named.filter(isPrivate).map((name) => {
      const { only, scope } = fields[name]!
      return { only, scope, names: namesOf(name, fields[name]!) }
    }),
    isNothingElseRequested: named.every(isPrivate),
  }
}

const ownerColumn = ({ owner }: DataObject) => (owner === undefined ? [] : [owner])

/** The asked expansions, with those that others of them start from, first. */
function expansionsOf({ expansions }: DataObject, asked: readonly string[]): (Expansion & { name: string })[] {
  const started = asked.flatMap((name) => expansions[name]!.after ?? [])
  const [firsts, others] = [
    asked.filter((name) => expansions[name]!.after === undefined),
    asked.filter((name) => expansions[name]!.after !== undefined),
  ]
  return [...new Set([...firsts, ...started, ...others])].map((name) => ({ name, ...expansions[name]! }))
}

function plan(kinds: Kinds, params: Readonly<Record<string, unknown>>): AnswerPlan {
  const selection = selectionOf(kinds, params)
  const [main] = kinds
  const expansions = expansionsOf(main, selection.expansions)
  const firsts = expansions.filter(({ after }) => after === undefined).flatMap(({ columns }) => columns)
  const seconds = expansions.filter(({ after }) => after !== undefined).flatMap(({ columns }) => columns)
  const more = (object: DataObject) => [...ownerColumn(object), ...visibilityColumns(object)]
  const included = new Map<string, ObjectPlan>()
  for (const { to } of expansions) {
    const object = objectOfKind(to)
    const needed = to === 'user' ? authorColumns : to === 'post' ? seconds : []
    included.set(to, planObject(object, selection.includedFieldsOf(object), [...more(object), ...needed]))
  }
  const mainPlan = planObject(main, selection.fieldsOf(main), [...more(main), ...firsts])
  const compiled = new Map<string, AskedExpansion>()
  for (const { name, to, after: before, compile } of expansions) {
    const after = before === undefined ? undefined : compiled.get(before)!
    compiled.set(name, { name, to, after, keysOf: compile((after ? included.get(after.to)! : mainPlan).placeOf) })
  }
  const shown = [main, ...[...included.values()].map(({ object }) => object)]
  return {
    main: mainPlan,
    included,
    expansions: [...compiled.values()],
    privateFields: new Map(
      shown.flatMap((object) => {
        const fields = privateFieldsOf(object, selection.requestedFieldsOf(object))
        return fields ? [[object.kind, fields] as const] : []
      }),
    ),
    needsRelations: shown.some((object) => selection.includedFieldsOf(object).some((name) => object.fields[name]?.needsRelations)),
  }
}

/** Clients ask in few ways. A stranger can think of many: the least recently used are planned again. */
const MAX_PLANS = 1000
const plans = new LRUCache<string, AnswerPlan>({ max: MAX_PLANS })

const isShape = (name: string) => name === 'expansions' || name.endsWith('.fields')

/** Plans the answer to a request. The plans of the most frequent shapes are kept, with what is compiled from them. */
export function planAnswer(kinds: Kinds, params: Readonly<Record<string, unknown>>): AnswerPlan {
  const shape = Object.entries(params).filter(([name]) => isShape(name))
  const key = `${kinds.map(({ kind }) => kind).join()} ${shape.map(([name, values]) => `${name}=${values}`).join('&')}`
  const known = plans.get(key) ?? plan(kinds, params)
  plans.set(key, known)
  return known
}
