import type { TSchema } from './words.ts'

/**
 * The two spellings of the interface: `spec` says post and service, `x` says tweet and twitter. Which names differ is read
 * from the schemas at start, so that an answer without such a name costs nothing in either dialect.
 */
export type DialectName = 'spec' | 'x'

/** Changes a value's member names; undefined where a schema has none to change. */
export type Rename = ((value: unknown) => unknown) | undefined

export interface Dialect {
  name: DialectName
  /** A name as this dialect writes it: `post.fields` or `tweet.fields`. */
  out(name: string): string
  /** A path as this dialect writes it. */
  path(path: string): string
  /** Renames answers of this schema on their way out. */
  answers(schema: TSchema): Rename
  /** Renames every member name of a value that has no schema. */
  anything(value: unknown): unknown
}

const TO_X: Record<string, string> = { post: 'tweet', posts: 'tweets', service: 'twitter' }

const respell = (name: string) => name.replace(/[a-z0-9]+/gi, (piece) => TO_X[piece] ?? piece)

/** The `x` spelling of a name: `edit_history_post_ids` → `edit_history_tweet_ids`. */
export const xNameOf = (name: string): string => respell(name)

/** The `x` spelling of a path. Placeholders keep their names. */
export const xPathOf = (path: string): string =>
  path
    .split('/')
    .map((step) => (step.startsWith(':') ? step : respell(step)))
    .join('/')

interface Shape {
  properties?: Record<string, Shape>
  items?: Shape
  anyOf?: Shape[]
  enum?: unknown[]
  'x-dialect'?: 'value'
}

type Namer = (name: string) => string

/** A function that renames what a schema names, or undefined when it names nothing that differs. */
function compile(shape: Shape, namer: Namer): Rename {
  if (shape['x-dialect'] === 'value') return (value) => (typeof value === 'string' ? namer(value) : value)
  if (shape.properties) return compileMembers(shape.properties, namer)
  if (shape.items) return compileItems(compile(shape.items, namer))
  const options = shape.anyOf?.map((option) => compile(option, namer)).filter((rename) => rename !== undefined) ?? []
  return options.length > 0 ? (value) => options.reduce((renamed, rename) => rename(renamed), value) : undefined
}

function compileItems(rename: Rename): Rename {
  return rename && ((value) => (Array.isArray(value) ? value.map(rename) : value))
}

function compileMembers(properties: Record<string, Shape>, namer: Namer): Rename {
  const members = new Map(Object.entries(properties).map(([name, shape]) => [name, { to: namer(name), rename: compile(shape, namer) }]))
  if (![...members].some(([name, { to, rename }]) => to !== name || rename)) return undefined
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    const renamed = Object.entries(value).map(([name, inner]) => {
      const member = members.get(name)
      return member ? [member.to, member.rename ? member.rename(inner) : inner] : [name, inner]
    })
    return Object.fromEntries(renamed)
  }
}

function renameAll(value: unknown, namer: Namer): unknown {
  if (Array.isArray(value)) return value.map((item) => renameAll(item, namer))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [namer(name), renameAll(inner, namer)]))
}

/** Both spellings of the members of a JSON body come in; this makes the declared one of either. */
export function inward(schema: TSchema): Rename {
  const declared = new Map<string, string>()
  const collect = (shape: Shape) => {
    for (const [name, inner] of Object.entries(shape.properties ?? {})) {
      if (xNameOf(name) !== name) declared.set(xNameOf(name), name)
      collect(inner)
    }
    if (shape.items) collect(shape.items)
    for (const option of shape.anyOf ?? []) collect(option)
  }
  collect(schema as Shape)
  if (declared.size === 0) return undefined
  return (value) => renameAll(value, (name) => declared.get(name) ?? name)
}

const spec: Dialect = { name: 'spec', out: (name) => name, path: (path) => path, answers: () => undefined, anything: (value) => value }

const x: Dialect = {
  name: 'x',
  out: xNameOf,
  path: xPathOf,
  answers: (schema) => compile(schema as Shape, xNameOf),
  anything: (value) => renameAll(value, xNameOf),
}

export const dialects: Record<DialectName, Dialect> = { spec, x }
