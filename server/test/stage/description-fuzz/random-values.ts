import type { Random } from '../hostile/random.ts'
import { hostileTexts, objectMembers } from '../hostile/texts.ts'
import { type Description, resolved, type Schema } from './description.ts'

/** Texts that answers had, by the name of their member: ids of what is there. */
export interface Known {
  /** Its `id`s are of what `named` says, as in `/12/accounts`. */
  note(value: unknown, named?: string): void
  find(name: string, random: Random): string | undefined
}

const MOST_OF_A_NAME = 40

/** `forgetting` draws what gives way where there are many. */
export function createKnown(forgetting: Random): Known {
  const texts = new Map<string, string[]>()
  const keep = (name: string, text: string) => {
    const some = texts.get(name) ?? []
    if (some.length < MOST_OF_A_NAME) some.push(text)
    else some[forgetting.below(MOST_OF_A_NAME)] = text
    texts.set(name, some)
  }
  const idName = (plural: string) => `${plural.replace(/ies$/, 'y').replace(/(?<!u)s$/, '')}_id`
  const noteAs = (value: unknown, name: string, named: string): void => {
    if (Array.isArray(value)) for (const item of value) noteAs(item, name, named)
    else if (typeof value === 'object' && value !== null)
      for (const [key, inner] of Object.entries(value)) noteAs(inner, key === 'id' ? idName(named) : key, key === 'data' ? named : key)
    else if ((typeof value === 'string' && value.length < 100) || typeof value === 'number') keep(name, String(value))
  }
  const note = (value: unknown, named = '') => noteAs(value, '', named)
  const namesFor = (name: string) => [name, name.replace(/s$/, ''), name.replace(/_ids$/, '_id')]
  return {
    note,
    find(name, random) {
      for (const one of namesFor(name)) {
        const some = texts.get(one)
        if (some && random.next() < 0.95) return random.pick(some)
      }
      return undefined
    },
  }
}

/** JSON text of what may stand anywhere: hostile objects, lists of them, and what no schema has. */
const hostileValues = [
  ...objectMembers,
  ...objectMembers.map((text) => `[${text}]`),
  '{}',
  '[]',
  '[[]]',
  'null',
  'true',
  '0',
  '-1',
  '1.5',
  '1e308',
  '9007199254740993',
  ...hostileTexts.map((text) => JSON.stringify(text)),
]

interface Chances {
  /** That a value is hostile. */
  hostile: number
  /** That a member that may be missing is there. */
  optional: number
}

/** Makes JSON texts that follow a schema, mostly. */
export function createValues(description: Description, random: Random, known: Known, { hostile, optional }: Chances) {
  const oneOf = (of: Schema) => of.anyOf ?? of.oneOf ?? of.allOf

  function text(name: string, { format, examples }: Schema): string {
    if (format === 'date-time') return new Date(Date.UTC(2026, 10, 1) + random.below(60) * 43_200_000).toISOString()
    const example = examples && random.next() < 0.5 ? random.pick(examples) : undefined
    return String(example ?? known.find(name, random) ?? examples?.[0] ?? 'text')
  }

  function object(of: Schema, depth: number): string {
    const needed = new Set(of.required)
    const names = Object.keys(of.properties ?? {}).filter((name) => random.next() < (needed.has(name) ? 0.97 : optional))
    return `{${names.map((name) => `${JSON.stringify(name)}:${json(name, of.properties![name]!, depth + 1)}`).join()}}`
  }

  function list(name: string, of: Schema, depth: number): string {
    const count = Math.max(of.minItems ?? 0, random.below(4))
    return `[${Array.from({ length: count }, () => json(name, of.items ?? {}, depth + 1)).join()}]`
  }

  /** The JSON text of a value of a schema. */
  function json(name: string, schema: Schema, depth = 0): string {
    if (random.next() < hostile) return random.pick(hostileValues)
    const of = resolved(description, schema)
    const choices = oneOf(of)
    if (choices && depth < 8) return json(name, random.pick(choices), depth)
    if (of.const !== undefined) return JSON.stringify(of.const)
    if (of.enum) return JSON.stringify(random.pick(of.enum))
    const type = Array.isArray(of.type) ? random.pick(of.type) : of.type
    if (type === 'integer' || type === 'number') {
      const { minimum = 0, maximum = 100 } = of
      return String(random.pick([minimum, maximum, minimum + random.below(Math.max(1, Math.min(maximum - minimum, 1000)))]))
    }
    if (type === 'boolean') return random.pick(['true', 'false'])
    if (type === 'null') return 'null'
    if (type === 'object') return depth < 8 ? object(of, depth) : '{}'
    if (type === 'array') return depth < 8 ? list(name, of, depth) : '[]'
    return JSON.stringify(text(name, of))
  }

  /** A value as a query or a form has it. */
  function plain(name: string, schema: Schema): string {
    const value = json(name, schema)
    try {
      const read: unknown = JSON.parse(value)
      if (Array.isArray(read) && read.every((item) => typeof item !== 'object')) return read.join(',')
      return typeof read === 'string' ? read : value
    } catch {
      return value
    }
  }

  return { json, plain }
}
