import { entitiesOf } from '../../../lib/post-text/entities.ts'
import { termHash } from '../../../lib/post-text/term-hash.ts'
import { foldText, wordsOf } from '../../../lib/post-text/words.ts'
import { posts } from '../../../storage/content-tables.ts'
import type { KeywordServices } from './count-keywords.ts'
import { stopWords } from './stop-words.ts'

export const MAX_RELATED = 30

/** How frequent a word is anyway is counted among so many posts, the newest of all. */
const BACKGROUND = 4096

/** So many words are ranked, those that occur in most posts of the sample. */
const MAX_CANDIDATES = 150

/** In a sample of so many posts a word that one post alone has says nothing. */
const LARGE_SAMPLE = 50

/** The words and tags of a text, each once: no words of URLs, mentions and tags, no numbers, no single characters. */
function keywordsIn(text: string): Set<string> {
  const { urls, mentions, hashtags, cashtags } = entitiesOf(text)
  const characters = [...text]
  for (const { start, end } of [...urls, ...mentions, ...hashtags, ...cashtags]) characters.fill(' ', start, end)
  const words = wordsOf(characters.join('')).map(({ text }) => text)
  return new Set([
    ...words.filter((word) => [...word].length > 1 && /\p{L}/u.test(word) && !stopWords.has(word)),
    ...hashtags.map(({ tag }) => `#${foldText(tag)}`),
    ...cashtags.map(({ tag }) => `$${foldText(tag)}`),
  ])
}

const termOf = (keyword: string) => (/^[#$]/.test(keyword) ? keyword : `w:${keyword}`)

/** In how many of the texts each keyword occurs. */
function countIn(texts: readonly string[], ownTerms: ReadonlySet<string>): Map<string, number> {
  const counts = new Map<string, number>()
  for (const text of texts)
    for (const keyword of keywordsIn(text)) if (!ownTerms.has(termOf(keyword))) counts.set(keyword, (counts.get(keyword) ?? 0) + 1)
  return counts
}

type Counted = [keyword: string, posts: number]

const mostFirst = ([one, posts]: Counted, [other, others]: Counted) => others - posts || (one < other ? -1 : 1)

/**
 * The keywords that occur with others, ranked: those first that occur in many of these posts and are rare elsewhere. The rank is the number of
 * the posts with the keyword, times the logarithm of how many times more frequent it is among them than among all.
 */
export async function relatedKeywords(
  { content }: KeywordServices,
  postIds: readonly string[],
  ownTerms: ReadonlySet<string>,
): Promise<string[]> {
  const texts = (await content.rows(posts, ['text'], postIds)).map(([text]) => text as string)
  const least = texts.length >= LARGE_SAMPLE ? 2 : 1
  const counted = [...countIn(texts, ownTerms)].filter(([, posts]) => posts >= least).sort(mostFirst)
  const candidates = counted.slice(0, MAX_CANDIDATES)
  const hashes = candidates.map(([keyword]) => String(termHash(termOf(keyword))))
  const { counts, among } = await content.termFrequencies(hashes, BACKGROUND)
  const rankOf = ([, posts]: Counted, place: number) => posts * Math.log(posts / texts.length / ((counts[place]! + 1) / (among + 1)))
  return candidates
    .map((candidate, place) => ({ keyword: candidate[0], rank: rankOf(candidate, place) }))
    .sort((one, other) => other.rank - one.rank || (one.keyword < other.keyword ? -1 : 1))
    .slice(0, MAX_RELATED)
    .map(({ keyword }) => keyword)
}
