import type { TSchema } from 'typebox'

/** A list of names that is too long for a message: `no event type`, listed at `/docs/events`. */
export interface ListedNames {
  /** What one of them is. */
  one: string
  listedAt: string
}

/** What of a word JSON Schema cannot say: how its values are read from text, repeated, named in messages and stored. */
export interface Codec {
  /** The value that a text stands for; undefined when it is none. */
  decode?(text: string): unknown
  /** The value that a number of JSON stands for, of a word whose values are texts; whole numbers beyond 2^53 come as bigints. */
  decodeNumber?(sent: number | bigint): unknown
  /** How an answer repeats a text, where it repeats something else than the value. */
  echo?(text: string): unknown
  /** The pattern of the texts that `decode` takes, where it is not that of the values; empty for more than a pattern can say. */
  textPattern?: string
  /** What an error message of the advertising hosts says was expected. */
  expects?: string
  /** What an error message of the general hosts says that a text must be, instead of its pattern. */
  mustBe?: string
  /** An error message of the general hosts about a parameter that came as text quotes the pattern, as public practice does. */
  quotesPattern?: boolean
  /** Of a word with a long list of values: what an error message of the general hosts calls one of them, and where they are listed. */
  names?: ListedNames
  storedAs?: 'time'
  /** Everything inside stays as it was sent: whole numbers beyond 2^53 are bigints. */
  isExact?: boolean
}

/** JSON does not show it. */
const CODEC = Symbol('codec')

const codecOf = (word: TSchema): Codec | undefined => (word as { [CODEC]?: Codec })[CODEC]

/** The word with a codec, or with more of one. */
export const withCodec = <Word extends TSchema>(word: Word, codec: Codec): Word => ({ ...word, [CODEC]: { ...codecOf(word), ...codec } })

export const hasDecoder = (word: TSchema): boolean => codecOf(word)?.decode !== undefined

export const hasNumberDecoder = (word: TSchema): boolean => codecOf(word)?.decodeNumber !== undefined

export const isKeptExact = (word: TSchema): boolean => codecOf(word)?.isExact === true

/** The value that a number stands for; undefined where the word has no decoder of numbers. */
export const decodeNumber = (word: TSchema, sent: number | bigint): unknown => codecOf(word)?.decodeNumber?.(sent)

/** The value that a text stands for; the text itself where the word has no decoder, or the text is no value of it. */
export const decodeText = (word: TSchema, text: string): unknown => codecOf(word)?.decode?.(text) ?? text

/** How an answer repeats a text that was sent for a word; undefined where it repeats the value. */
export const echoOf = (word: TSchema): Codec['echo'] => codecOf(word)?.echo

export const textPatternOf = (word: TSchema): string | undefined => codecOf(word)?.textPattern
export const expectationOf = (word: TSchema): string | undefined => codecOf(word)?.expects
export const mustBeOf = (word: TSchema): string | undefined => codecOf(word)?.mustBe
export const quotesPattern = (word: TSchema): boolean => codecOf(word)?.quotesPattern === true
export const listedNamesOf = (word: TSchema): ListedNames | undefined => codecOf(word)?.names
export const isStoredAsTime = (word: TSchema): boolean => codecOf(word)?.storedAs === 'time'
