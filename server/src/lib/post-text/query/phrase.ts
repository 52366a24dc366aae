import type { Word } from '../words.ts'

/** Tokens of a text that can be asked for phrases. */
export interface WordIndex {
  has(phrase: readonly Word[]): boolean
}

const standsAt = (words: readonly Word[], phrase: readonly Word[], at: number): boolean =>
  phrase.every(({ text, isJoined }, place) => {
    const word = words[at + place]
    return word?.text === text && (place === 0 || !isJoined || word.isJoined)
  })

/** Indexes tokens by their text, so that a phrase is only compared where its first token stands. */
export function indexWords(words: readonly Word[]): WordIndex {
  const places = Map.groupBy(words.keys(), (place) => words[place]!.text)
  return { has: (phrase) => (places.get(phrase[0]?.text ?? '') ?? []).some((at) => standsAt(words, phrase, at)) }
}
