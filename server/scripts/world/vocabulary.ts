import { createZipf, Random } from './random.ts'

const COMMON =
  `the to and a of in is it you that for on with this was my have are not be at we so but just all me what out up as your like if from one by
  about they now today can do when get more day time good no there how an new or who would been will our go love their people think know
  back see them make really then some still after never here too much want only over work first right well going why way very last every
  even night need morning could best down off home great always little before week any great year again life two feel old made another
  being next long thing something looking done keep take find world say come look thank ever while into hope game better happy tomorrow
  where read book long walk rain coffee music train city river street light house friend kitchen garden summer winter school story song
  dinner weather bread window water boat field market window paper photo letter`
    .split(/\s+/)
    .filter((word, place, all) => word !== '' && all.indexOf(word) === place)

const ONSETS = [
  'b',
  'br',
  'd',
  'dr',
  'f',
  'fl',
  'g',
  'gr',
  'h',
  'k',
  'kl',
  'l',
  'm',
  'n',
  'p',
  'pl',
  'r',
  's',
  'st',
  't',
  'tr',
  'v',
  'w',
  'z',
]
const VOWELS = ['a', 'e', 'i', 'o', 'u', 'ai', 'ea', 'oo']
const CODAS = ['', 'l', 'n', 'r', 's', 't', 'm', 'nd', 'rk']

/** How many words there are: a million posts then have words that occur everywhere and words that occur a few times. */
const WORDS = 40_000
const HASHTAGS = 2000

function invented(random: Random): string {
  let word = ''
  for (let syllables = 2 + random.below(2); syllables > 0; syllables -= 1) word += random.pick(ONSETS) + random.pick(VOWELS)
  return word + random.pick(CODAS)
}

/** Words that no list has, so many and no two alike. */
function inventedWords(random: Random, count: number): string[] {
  const words = new Set<string>()
  while (words.size < count) words.add(invented(random))
  return [...words]
}

/** The words of all worlds: everyday ones first. */
const words = [...COMMON, ...inventedWords(new Random(7), WORDS - COMMON.length)]
const chooseWord = createZipf(words.length)

const hashtags = inventedWords(new Random(11), HASHTAGS)
const chooseHashtag = createZipf(hashtags.length)

export const wordOf = (random: Random): string => words[chooseWord(random)]!
export const hashtagOf = (random: Random): string => hashtags[chooseHashtag(random)]!

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)

export const nameOf = (random: Random): string => `${capital(invented(random))} ${capital(invented(random))}`

/** A sentence of so many words. */
export function sentenceOf(random: Random, length: number): string {
  let text = capital(wordOf(random))
  for (let place = 1; place < length; place += 1) text += `${random.chance(0.07) ? ', ' : ' '}${wordOf(random)}`
  return text + (random.chance(0.15) ? '!' : random.chance(0.15) ? '?' : '.')
}
