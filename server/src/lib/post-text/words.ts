import { lazy } from '../lazy.ts'
import { foldCase, normalize } from '../text.ts'

/** A token of a text: a word, an emoji, or one character of a script that is written without spaces. */
export interface Word {
  text: string
  /** Whether it follows the token before it directly, both in a script without spaces: `京` in `東京`. */
  isJoined: boolean
}

/** Scripts that put no spaces between words. Their characters are tokens of their own, so that part of a sentence is found. */
const UNSPACED = String.raw`[[\p{L}\p{N}]&&[\p{scx=Hani}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Tibt}]]`
/** Marks of letters; a variation selector belongs to an emoji. */
const MARK = String.raw`[\p{M}--[\ufe00-\ufe0f\u20e3]]`
const EMOJI = String.raw`\p{RGI_Emoji}|[\p{Extended_Pictographic}--\p{ASCII}]`
const SPACED = String.raw`[[\p{L}\p{N}]--${UNSPACED}]`
const WORD = `(?<unspaced>${UNSPACED}${MARK}*)|(?:${SPACED}|${MARK})+`
/** What every emoji has one of. */
const ofEmoji = /[\p{Extended_Pictographic}\p{Emoji_Presentation}\u20e3]/v
/** Made with their first use, like other large expressions here: a start does not need them. */
const word = lazy(() => new RegExp(WORD, 'gv'))
const wordOrEmoji = lazy(() => new RegExp(`(?<emoji>${EMOJI})|${WORD}`, 'gv'))
/** The list of all emoji takes ten times as long to compile as all else: only texts with an emoji need it. */
const tokenIn = (text: string) => (ofEmoji.test(text) ? wordOrEmoji() : word())

const accentOfLatin = /(?<=\p{Script=Latin})[\u0300-\u036f]+/gu

/**
 * The form in which texts are compared: without case, compatibility forms (full-width letters, ligatures) and accents of Latin letters, as
 * public practice does for search. The search index holds texts in this form: a change of it needs a new index.
 */
export const foldText = (text: string): string =>
  normalize(normalize(foldCase(normalize(text, 'NFKC')), 'NFD').replace(accentOfLatin, ''), 'NFC')

/** ASCII alone needs no tables of Unicode: a tenth of the time. */
const wordsOfAscii = (text: string): Word[] =>
  Array.from(text.toLowerCase().match(/[a-z0-9]+/g) ?? [], (word) => ({ text: word, isJoined: false }))

function wordsOfUnicode(text: string): Word[] {
  const words: Word[] = []
  let unspacedEnd = -1
  const folded = foldText(text)
  for (const { 0: found, index, groups } of folded.matchAll(tokenIn(folded))) {
    const isUnspaced = groups?.unspaced !== undefined
    words.push({ text: groups?.emoji ? found.replaceAll('\ufe0f', '') : found, isJoined: isUnspaced && index === unspacedEnd })
    unspacedEnd = isUnspaced ? index + found.length : -1
  }
  return words
}

/** The tokens of a text in their order. Punctuation, symbols and spaces separate them and are none. */
export const wordsOf = (text: string): Word[] => (/^[\0-\x7f]*$/.test(text) ? wordsOfAscii(text) : wordsOfUnicode(text))

/** The index terms of tokens: each alone and, in scripts without spaces, each with the one before it. */
export const termsOfWords = (words: readonly Word[]): string[] =>
  words.flatMap(({ text, isJoined }, place) => (isJoined ? [`w:${text}`, `w:${words[place - 1]!.text}${text}`] : [`w:${text}`]))
