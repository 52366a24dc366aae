import type { SearchablePost } from '../searchable-post.ts'
import { attributeTermsOf, isWithin, searchableUrl, wordsOfPost } from '../terms.ts'
import type { Word } from '../words.ts'
import { termsOfCondition } from './alternatives.ts'
import type { Condition, Query } from './query.ts'

/** Tokens of a text that can be asked for phrases. */
interface WordIndex {
  has(phrase: readonly Word[]): boolean
}

const standsAt = (words: readonly Word[], phrase: readonly Word[], at: number): boolean =>
  phrase.every(({ text, isJoined }, place) => {
    const word = words[at + place]
    return word?.text === text && (place === 0 || !isJoined || word.isJoined)
  })

const NOWHERE: readonly number[] = []

/** Indexes tokens by their text, so that a phrase is only compared where the rarest of its tokens stands. */
function indexWords(words: readonly Word[]): WordIndex {
  const places = Map.groupBy(words.keys(), (place) => words[place]!.text)
  return {
    has(phrase) {
      let [rarest, within]: [readonly number[], number] = [NOWHERE, 0]
      for (const [place, { text }] of phrase.entries()) {
        const found = places.get(text) ?? NOWHERE
        if (place === 0 || found.length < rarest.length) [rarest, within] = [found, place]
        if (found.length === 0) return false
      }
      return rarest.some((at) => standsAt(words, phrase, at - within))
    },
  }
}

/** What is computed of a post, each part when the first condition needs it. */
interface Prepared {
  post: SearchablePost
  words?: WordIndex
  terms?: Set<string>
  urls?: IndexedUrl[]
}

interface IndexedUrl {
  host: string
  words: WordIndex
  ofPath: WordIndex
}

function indexUrl(url: string): IndexedUrl {
  const { host, words, hostWords } = searchableUrl(url)
  return { host, words: indexWords(words), ofPath: indexWords(words.slice(hostWords)) }
}

type UrlCondition = Extract<Condition, { kind: 'url' }>

const isUrl = ({ host, words, ofPath }: IndexedUrl, { domain, words: phrase }: UrlCondition): boolean => {
  if (domain === undefined) return words.has(phrase)
  return isWithin(host, domain) && (phrase.length === 0 || ofPath.has(phrase))
}

function fulfils(prepared: Prepared, condition: Condition): boolean {
  const { post } = prepared
  switch (condition.kind) {
    case 'words':
      prepared.words ??= indexWords(wordsOfPost(post))
      return prepared.words.has(condition.words)
    case 'term':
      prepared.terms ??= attributeTermsOf(post)
      return prepared.terms.has(condition.term)
    case 'url': {
      // Its terms first: a text with hundreds of URLs is asked for thousands of conditions.
      prepared.terms ??= attributeTermsOf(post)
      if (new Set(termsOfCondition(condition)).difference(prepared.terms).size > 0) return false
      prepared.urls ??= post.entities.urls.map(({ expanded_url }) => indexUrl(expanded_url))
      return prepared.urls.some((url) => isUrl(url, condition))
    }
    case 'atLeast':
      return (post[condition.count] ?? 0) >= condition.value
    case 'nothing':
      return false
  }
}

function holds(prepared: Prepared, query: Query): boolean {
  if (query.kind === 'all') return query.of.every((part) => holds(prepared, part))
  if (query.kind === 'any') return query.of.some((part) => holds(prepared, part))
  return query.kind === 'not' ? !holds(prepared, query.of) : fulfils(prepared, query)
}

/** Returns a function that says whether the post matches a query. The post is read once for all queries. */
export function matcherOf(post: SearchablePost): (query: Query) => boolean {
  const prepared: Prepared = { post }
  return (query) => holds(prepared, query)
}

/** Whether a post matches a query: exact, the final authority over what an index finds. */
export const matches = (query: Query, post: SearchablePost): boolean => matcherOf(post)(query)
