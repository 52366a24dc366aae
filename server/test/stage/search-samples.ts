import type { NAMES } from './fill-records.ts'

/** Beginnings of names, and the names that begin so when case does not count. */
export const PREFIXES: [q: string, names: (typeof NAMES)[number][]][] = [
  ['strasse', ['Straße 1', 'STRASSE 2']],
  ['STRAß', ['Straße 1', 'STRASSE 2']],
  ['ὈΔΌς', ['ὀδός', 'ὈΔΌΣ 2']],
  ['ὀδόΣ', ['ὀδός', 'ὈΔΌΣ 2']],
  ['ZO', ['Zoo', 'zoo']],
  ['A', ['a']],
  ['ä', ['Ä']],
  ['\u{1F600}', ['\u{1F600} smile']],
  ['\uFFFD', ['\uFFFD odd']],
  ['100%_', ['100%_']],
  ['_', ['_']],
  ["O'", ["o'clock"]],
  ['nobody', []],
]

/** The words of names. */
export const WORDS: Record<(typeof NAMES)[number], string[]> = {
  'Straße 1': ['strasse', '1'],
  'STRASSE 2': ['strasse', '2'],
  ὀδός: ['ὀδόσ'],
  'ὈΔΌΣ 2': ['ὀδόσ', '2'],
  Zoo: ['zoo'],
  zoo: ['zoo'],
  a: ['a'],
  Ä: ['ä'],
  '\u{1F600} smile': ['smile'],
  '\uFFFD odd': ['odd'],
  '100%_': ['100'],
  "o'clock": ['o', 'clock'],
}

/** What is searched for, and the beginnings of words that this asks for. */
export const TERMS: [q: string, beginnings: string[]][] = [
  ['STRASSE', ['strasse']],
  ['straße', ['strasse']],
  ['str  2', ['str', '2']],
  ['ὈΔΌΣ', ['ὀδόσ']],
  ["o'clo", ['o', 'clo']],
  ['zo', ['zo']],
  ['lock', ['lock']],
]
