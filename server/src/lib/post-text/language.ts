import { createRequire } from 'node:module'
import { lazy } from '../lazy.ts'

/** Loaded with the first post: reading its tables takes some 30 ms. */
const franc = lazy(() => createRequire(import.meta.url)('franc-min') as typeof import('franc-min'))

/** Codes of public practice by those of ISO 639-3: two letters, `in` for Indonesian and `iw` for Hebrew. Other languages are not told apart. */
const CODES: Readonly<Record<string, string>> = {
  arb: 'ar',
  ces: 'cs',
  cmn: 'zh',
  deu: 'de',
  ell: 'el',
  eng: 'en',
  fra: 'fr',
  heb: 'iw',
  hin: 'hi',
  hun: 'hu',
  ind: 'in',
  ita: 'it',
  jpn: 'ja',
  kor: 'ko',
  nld: 'nl',
  pol: 'pl',
  por: 'pt',
  ron: 'ro',
  rus: 'ru',
  spa: 'es',
  swe: 'sv',
  tha: 'th',
  tur: 'tr',
  ukr: 'uk',
  vie: 'vi',
}

const only = Object.keys(CODES)

/** What says nothing of the language: URLs, usernames, hashtags and cashtags. */
const NAMES = /https?:\/\/\S+|[@＠#＃$]\S+/g

/** In a script of one language fewer letters tell it. */
const LEAST_LETTERS = 10

/** The beginning of a text is enough, and a long one would take long. */
const LONGEST = 200

/** How much more likely the best language must be than the next one. Below that one of ten short sentences was taken for a neighbour's. */
const LEAST_MARGIN = 0.1

/** The language of a post's text as a code of two letters, if it is clear; else `und`. */
export function languageOf(text: string): string {
  const plain = text.replace(NAMES, ' ').slice(0, LONGEST)
  const [best, second] = franc().francAll(plain, { only, minLength: LEAST_LETTERS })
  const isClear = best !== undefined && (second === undefined || best[1] - second[1] >= LEAST_MARGIN)
  return (isClear && CODES[best[0]]) || 'und'
}
