import { decodeText, echoOf, hasDecoder } from '../declare/codec.ts'
import type { TSchema } from '../declare/words.ts'

interface Word {
  type?: string
  items?: TSchema
}

const isSmallInteger = (text: string) => /^-?\d{1,15}$/.test(text)

/** Text as it must be written to the letter, but for words that have a way of their own. */
export function strictText(word: TSchema, text: string): unknown {
  const { type } = word as Word
  if (hasDecoder(word)) return decodeText(word, text)
  if (type === 'integer' && isSmallInteger(text)) return Number(text)
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  if (type === 'array') return text.split(',')
  return text
}

/** Text in every way that a word can be written: in either case, with spaces after commas, an item of a list more than once. */
export function lenientText(word: TSchema, text: string): unknown {
  const { type, items } = word as Word
  if (hasDecoder(word)) return decodeText(word, text)
  if (type === 'integer' && isSmallInteger(text)) return Number(text)
  if (type === 'boolean' && /^(true|false)$/i.test(text)) return text.toLowerCase() === 'true'
  if (type === 'array') return [...new Set(text.split(',').map((item) => lenientText(items!, item.trim())))]
  return text
}

/** A text as an answer repeats it: typed as its word is, and otherwise as it came, in its letter case and with every item of a list. */
export function echoText(word: TSchema, text: string): unknown {
  const { type, items } = word as Word
  if (type === 'array') return text.split(',').map((item) => echoText(items!, item.trim()))
  return echoOf(word)?.(text) ?? lenientText(word, text)
}
