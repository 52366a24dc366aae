import type { Params, TSchema } from './words.ts'

/** What an error shows instead of a secret that was sent. */
export const HIDDEN_VALUE = '***'

type Schema = TSchema & { writeOnly?: boolean; properties?: Params; items?: TSchema; anyOf?: TSchema[] }

const membersOf = ({ properties = {}, items, anyOf = [] }: Schema): [name: string | undefined, word: TSchema][] => [
  ...Object.entries(properties),
  ...[...(items ? [items] : []), ...anyOf].map((word): [undefined, TSchema] => [undefined, word]),
]

/** A body can have an error for each of its members, so that a word is looked through once. */
const found = new WeakMap<TSchema, boolean>()

/** Whether values of a word are secrets, or hold one: of a value that is no such object nobody knows which part of it is the secret. */
export function isSecret(word: TSchema): boolean {
  const before = found.get(word)
  if (before !== undefined) return before
  const is = (word as Schema).writeOnly === true || membersOf(word).some(([, member]) => isSecret(member))
  found.set(word, is)
  return is
}

/** The names of the secrets among parameters and their members, for what is sent in a wrong place. */
export const secretNames = (params: Params): ReadonlySet<string> => new Set(Object.entries(params).flatMap(namesIn))

const namesIn = ([name, word]: [string | undefined, TSchema]): string[] => [
  ...(name !== undefined && (word as Schema).writeOnly ? [name] : []),
  ...membersOf(word).flatMap(namesIn),
]
