import { withCodec } from './codec.ts'
import { xNameOf } from './dialect.ts'
import { commaList, oneOf, type WordOptions } from './words.ts'

/** Names of the interface, comma separated; each may come in either spelling (`referenced_posts`, `referenced_tweets`). */
export function nameList<const Names extends readonly string[]>(names: Names, options: WordOptions = {}) {
  const declared = new Map(names.map((name) => [xNameOf(name), name]))
  const decode = (text: string) => text.split(',').map((name) => declared.get(xNameOf(name)) ?? name)
  const item = { ...oneOf(names), 'x-dialect': 'value' as const }
  return withCodec(commaList(item, options), { decode })
}
