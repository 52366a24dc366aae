import { invalidRequest } from './problem.ts'
import type { TSchema } from './words.ts'

/**
 * The two spellings of the interface: `spec` says post and service, `x` says tweet and twitter. Which names differ is read
 * from the schemas, so that an answer without such a name costs nothing in either dialect.
 */
export type DialectName = 'spec' | 'x'

/** Translates the member names of a value; undefined where a schema has none that differ. */
export type Translate = ((value: unknown) => unknown) | undefined

export interface Dialect {
  name: DialectName
  /** A name as this dialect writes it: `post.fields` or `tweet.fields`. */
  out(name: string): string
  /** A path as this dialect writes it. */
  path(path: string): string
  /** Translates answers of this schema into this dialect. */
  answerTranslator(schema: TSchema): Translate
  /** Translates every member name of a value that has no schema. */
  anything(value: unknown): unknown
}

const TO_X = new Map([
  ['post', 'tweet'],
  ['posts', 'tweets'],
  ['service', 'twitter'],
  ['repost', 'retweet'],
  ['reposts', 'retweets'],
  ['reposted', 'retweeted'],
])

const respell = (name: string) => name.replace(/[a-z0-9]+/gi, (piece) => TO_X.get(piece) ?? piece)

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
  /** What the members with other names are; false for none. */
  additionalProperties?: Shape | false
  anyOf?: Shape[]
  enum?: unknown[]
  /** Respelled is the value itself, or every name within it. */
  'x-dialect'?: 'value' | 'names'
}

/** How the names of a schema are respelled: each may come as any of `from`, and becomes `to`. */
interface Spelling {
  from(name: string): string[]
  to(name: string): string
  /** Respells a value that is one of these names. */
  value(names: readonly unknown[] | undefined): (value: string) => string
  /** Respells every name of a value that has no schema; without, they stay. */
  all?: Translate
}

/** The declared one of some names, for either of its spellings. */
function declaredName(names: readonly unknown[] = []): (value: string) => string {
  const declared = new Map(names.map((name) => [xNameOf(String(name)), String(name)]))
  return (value) => declared.get(xNameOf(value)) ?? value
}

const outward: Spelling = { from: (name) => [name], to: xNameOf, value: () => xNameOf, all: translateAll }
const eitherWay: Spelling = { from: (name) => [name, xNameOf(name)], to: (name) => name, value: declaredName }

/** Compiles a schema to the function that translates its names; undefined when none differs. */
function compile(shape: Shape, spelling: Spelling): Translate {
  if (shape['x-dialect'] === 'value') {
    const respelled = spelling.value(shape.enum)
    return (value) => (typeof value === 'string' ? respelled(value) : value)
  }
  if (shape['x-dialect'] === 'names') return spelling.all
  if (shape.properties) return compileMembers(shape.properties, spelling)
  if (shape.items) return compileItems(compile(shape.items, spelling))
  if (shape.additionalProperties) return compileMap(compile(shape.additionalProperties, spelling))
  const options = shape.anyOf?.map((option) => compile(option, spelling)).filter((translate) => translate !== undefined) ?? []
  return options.length > 0 ? (value) => options.reduce((translated, translate) => translate(translated), value) : undefined
}

function compileItems(translate: Translate): Translate {
  return translate && ((value) => (Array.isArray(value) ? value.map(translate) : value))
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)

function compileMap(translate: Translate): Translate {
  if (!translate) return undefined
  return (value) => (isObject(value) ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, translate(inner)])) : value)
}

const bothSpellings = (name: string) =>
  invalidRequest([{ message: `$.${name}: sent twice, as ${name} and as ${xNameOf(name)}; send one of them`, parameters: { [name]: [] } }])

function compileMembers(properties: Record<string, Shape>, spelling: Spelling): Translate {
  const members = new Map<string, { to: string; translate: Translate }>()
  for (const [name, shape] of Object.entries(properties)) {
    const member = { to: spelling.to(name), translate: compile(shape, spelling) }
    for (const from of spelling.from(name)) members.set(from, member)
  }
  if (![...members].some(([name, { to, translate }]) => to !== name || translate)) return undefined
  return (value) => {
    if (!isObject(value)) return value
    const translated = new Map<string, unknown>()
    for (const [name, inner] of Object.entries(value)) {
      const { to = name, translate } = members.get(name) ?? {}
      if (translated.has(to)) throw bothSpellings(to)
      translated.set(to, translate ? translate(inner) : inner)
    }
    return Object.fromEntries(translated)
  }
}

/** A member keeps its name where its object has another of the new one, so that nothing is lost. */
function translateAll(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(translateAll)
  if (!isObject(value)) return value
  const translated = new Map<string, unknown>()
  for (const [name, inner] of Object.entries(value)) {
    const to = xNameOf(name)
    const isTaken = Object.hasOwn(value, to) || translated.has(to)
    translated.set(isTaken ? name : to, translateAll(inner))
  }
  return Object.fromEntries(translated)
}

/**
 * Both spellings of the members of a JSON body come in; this makes the declared one of either. It throws `invalid-request` when
 * an object has a member in both.
 */
export const requestTranslator = (schema: TSchema): Translate => compile(schema as Shape, eitherWay)

/** The member names of a JSON value, at any depth, by their `x` spelling. */
export function namesIn(value: unknown, found = new Map<string, string>()): Map<string, string> {
  if (Array.isArray(value)) for (const inner of value) namesIn(inner, found)
  if (!isObject(value)) return found
  for (const [name, inner] of Object.entries(value)) {
    found.set(xNameOf(name), name)
    namesIn(inner, found)
  }
  return found
}

const spec: Dialect = {
  name: 'spec',
  out: (name) => name,
  path: (path) => path,
  answerTranslator: () => undefined,
  anything: (value) => value,
}

const x: Dialect = {
  name: 'x',
  out: xNameOf,
  path: xPathOf,
  answerTranslator: (schema) => compile(schema as Shape, outward),
  anything: translateAll,
}

export const dialects: Record<DialectName, Dialect> = { spec, x }
