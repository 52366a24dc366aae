import { adsUser } from '../../../access/ads-user.ts'
import { adsTime } from '../../../api/declare/ads-words.ts'
import { adsError, type ErrorDetail } from '../../../api/declare/problem.ts'
import { before, type Rule } from '../../../api/declare/rules.ts'
import { commaList, integer, listOf, object, oneOf, optional, text } from '../../../api/declare/words.ts'
import { adsEndpoint } from '../../../api/records/ads-endpoint.ts'
import type { GiveWay } from '../../../lib/fair-turns.ts'
import { entitiesOf } from '../../../lib/post-text/entities.ts'
import { termHash } from '../../../lib/post-text/terms.ts'
import { foldText, wordsOf } from '../../../lib/post-text/words.ts'
import { HOUR_MS, MINUTE_MS } from '../../../lib/time.ts'
import type { Content } from '../../../storage/content.ts'
import { places, posts } from '../../../storage/content-tables.ts'
import { countryOf } from '../line-item-curated-categories/countries-of-places.ts'
import { countKeywords, type Hours, type KeywordServices, readKeywords } from './count-keywords.ts'

/** Words that say nothing of what a text is about: of English, and the short ones of other frequent languages. Folded, as index terms are. */
const stopWords: ReadonlySet<string> = new Set(
  `a about after again against ain all also am amp an and any are aren as at away back be because been before being below between both but by
  came can cannot come could couldn did didn do does doesn doing don done down during each else even ever every few for from further gave get
  gets getting give go goes going gone gonna got had hadn has hasn have haven having he her here hers herself him himself his how however i if
  im in into is isn it its itself ive just keep know let like ll lot made make makes many may maybe me might mine more most much must my myself
  need never no nor not now of off oh ok on once one only onto or other others our ours ourselves out over own per put quite rather re really
  rt said same saw say says see seem seen shall she should shouldn since so some still such take than that the their theirs them themselves
  then there these they thing things think this those though through thus till to too under until up upon us use used ve very via want was wasn
  way we well went were weren what when where whether which while who whom whose why will with within without won would wouldn yeah yes yet you
  your yours yourself yourselves
  al ao au aux avec bei como da das de dei del della dem den der des die di do dos du e ein eine el elle em en er es est et fur il im in ist ja
  je la las le les lo los mais mas mi mit na nao ne nicht no nos o os ou para pas per pero por pour que qui se ses si sie su sur te tu um uma
  un una und une uno von vous y zu`.split(/\s+/),
)

const MAX_RELATED = 30

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

/** So many texts are read, or looked through, before others are let pass. */
const TEXTS_OF_A_SLICE = 100

async function readTexts({ content }: KeywordServices, postIds: readonly string[], giveWay: GiveWay): Promise<string[]> {
  const texts: string[] = []
  for (let from = 0; from < postIds.length; from += TEXTS_OF_A_SLICE) {
    for (const [text] of await content.rows(posts, ['text'], postIds.slice(from, from + TEXTS_OF_A_SLICE))) texts.push(text as string)
    await giveWay()
  }
  return texts
}

/** In how many of the texts each keyword occurs. */
async function countIn(texts: readonly string[], ownTerms: ReadonlySet<string>, giveWay: GiveWay): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  for (const [place, text] of texts.entries()) {
    for (const keyword of keywordsIn(text)) if (!ownTerms.has(termOf(keyword))) counts.set(keyword, (counts.get(keyword) ?? 0) + 1)
    if (place % TEXTS_OF_A_SLICE === TEXTS_OF_A_SLICE - 1) await giveWay()
  }
  return counts
}

type Counted = [keyword: string, posts: number]

const mostFirst = ([one, posts]: Counted, [other, others]: Counted) => others - posts || (one < other ? -1 : 1)

/**
 * The keywords that occur with others, ranked: those first that occur in many of these posts and are rare elsewhere. The rank is the number of
 * the posts with the keyword, times the logarithm of how many times more frequent it is among them than among all.
 */
async function relatedKeywords(
  services: KeywordServices,
  postIds: readonly string[],
  ownTerms: ReadonlySet<string>,
  giveWay: GiveWay,
): Promise<string[]> {
  const texts = await readTexts(services, postIds, giveWay)
  const least = texts.length >= LARGE_SAMPLE ? 2 : 1
  const counted = [...(await countIn(texts, ownTerms, giveWay))].filter(([, posts]) => posts >= least).sort(mostFirst)
  const candidates = counted.slice(0, MAX_CANDIDATES)
  const hashes = candidates.map(([keyword]) => String(termHash(termOf(keyword))))
  const { counts, among } = await services.content.termFrequencies(hashes, BACKGROUND)
  const rankOf = ([, posts]: Counted, place: number) => posts * Math.log(posts / texts.length / ((counts[place]! + 1) / (among + 1)))
  return candidates
    .map((candidate, place) => ({ keyword: candidate[0], rank: rankOf(candidate, place) }))
    .sort((one, other) => other.rank - one.rank || (one.keyword < other.keyword ? -1 : 1))
    .slice(0, MAX_RELATED)
    .map(({ keyword }) => keyword)
}

const MAX_KEYWORDS = 10
const MAX_HOURS = 7 * 24

const bucketHours = { DAY: 24, HOUR: 1 } as const

const lengthOf = (value: unknown) => (Array.isArray(value) ? value.length : 0)

const notTooMany: Rule = {
  message: `\`keywords\` and \`negative_keywords\` may have at most ${MAX_KEYWORDS} values together`,
  parameters: ['keywords', 'negative_keywords'],
  holds: ({ keywords, negative_keywords }) => lengthOf(keywords) + lengthOf(negative_keywords) <= MAX_KEYWORDS,
}

/** The country of a targeting value: the id of a country, or its code. Adds an error for any other place. */
async function countryAt(location: string, content: Pick<Content, 'rows'>, errors: ErrorDetail[]): Promise<string | undefined> {
  const known = countryOf(location)
  if (known !== undefined) return known
  const [place] = await content.rows(places, ['place_type', 'country_code'], [location])
  if (place?.[0] === 'country' && place[1] !== '') return (place[1] as string).toUpperCase()
  errors.push(adsError('INVALID_PARAMETER', `Expected the targeting value of a country, got "${location}" for location`, 'location'))
  return undefined
}

interface Asked {
  granularity: keyof typeof bucketHours
  start_time: string
  end_time?: string
}

interface Span extends Hours {
  /** Of a bucket, in hours. */
  length: number
}

/**
 * The buckets of a span, as hours since 1970. Both ends are floored; without an end it is now, and the bucket that runs counts (§4.6). Adds an
 * error for a span of no bucket, or of more than seven days.
 */
function spanOf({ granularity, start_time, end_time }: Asked, nowMs: number, errors: ErrorDetail[]): Span | undefined {
  const refuse = (message: string, parameter: string) => void errors.push(adsError('INVALID_TIME_WINDOW', message, parameter))
  const startMs = Date.parse(start_time)
  const sentEndMs = end_time === undefined ? undefined : Date.parse(end_time)
  const length = bucketHours[granularity]
  // A client that asks for seven days until now says when they began in whole seconds.
  const endMs = sentEndMs ?? Math.floor(nowMs / MINUTE_MS) * MINUTE_MS
  if (startMs > (sentEndMs ?? nowMs)) return refuse('start_time must not lie after now, which end_time is by default', 'start_time')
  const floored = (ms: number) => Math.floor(ms / HOUR_MS / length) * length
  const [from, to] = [floored(startMs), floored(sentEndMs ?? nowMs) + (sentEndMs === undefined ? length : 0)]
  if (endMs - startMs > MAX_HOURS * HOUR_MS) return refuse('end_time may lie at most 7 days after start_time', 'end_time')
  if (to <= from) return refuse(`there is no full ${granularity} between start_time and end_time, which are floored to it`, 'end_time')
  return { from, to, length }
}

export const searchKeywords = adsEndpoint({
  name: 'searchKeywords',
  route: 'GET /12/insights/keywords/search',
  section: '§4.6',
  summary: 'Count the posts with any of some keywords, by day or hour, and list what else those posts are about.',
  description:
    'A keyword is one or more words, a phrase in double quotes, `#hashtag`, `@username` or `$cashtag`, as in the search of posts; a comma ends it. ' +
    'Posts that have a keyword and no negative one are counted, reposts too; not those that only some may see: nullcast posts, restricted ones, and those of ' +
    'protected or suspended authors. With `location` only posts with a place in that country count. Times are floored to their bucket, so the bucket of ' +
    '`end_time` is not counted. Without `end_time` it is now, and the bucket that runs counts. `end_time` lies at most 7 days after `start_time`. Of posts that may have a phrase the newest 100,000 are looked at.',
  auth: adsUser,
  rateLimit: 500,
  params: {
    granularity: oneOf(['DAY', 'HOUR']),
    keywords: commaList(text(), { max: MAX_KEYWORDS, example: ['coffee', '#music'] }),
    negative_keywords: optional(commaList(text(), { max: MAX_KEYWORDS })),
    start_time: adsTime(),
    end_time: optional(adsTime()),
    location: optional(text({ description: 'The targeting value of a country: its id or its code.' })),
  },
  rules: [notTooMany, before('start_time', 'end_time')],
  deferredRules: [{ message: '`location` must be the targeting value of a country' }],
  example: { start_time: '2026-03-01T00:00:00Z', end_time: '2026-03-02T00:00:00Z' },
  data: object({
    related_keywords: listOf(text(), { max: MAX_RELATED }),
    tweet_volume: listOf(integer({ min: 0 }), { description: 'The posts of each bucket, the oldest first.' }),
  }),
  async handle({ params, deferred, giveWay }, services: KeywordServices & { now: () => number }) {
    const { keywords = [], negative_keywords: negative = [], location } = params
    const errors: ErrorDetail[] = []
    const remaining = deferred.against()
    const span = remaining.areValid(['granularity', 'start_time', 'end_time']) ? spanOf(params, services.now(), errors) : undefined
    const countryCode = location === undefined ? undefined : await countryAt(location, services.content, errors)
    const search = readKeywords({ keywords, negative, countryCode }, errors)
    remaining.throwWith(errors)
    const { from, to, length } = span!
    const { byHour, newest } = await countKeywords(services, search, { from, to }, giveWay)
    await giveWay()
    const volume = Array.from({ length: (to - from) / length }, () => 0)
    for (const [hour, posts] of byHour) volume[Math.floor((hour - from) / length)]! += posts
    return { data: { related_keywords: await relatedKeywords(services, newest, search.ownTerms, giveWay), tweet_volume: volume } }
  },
})
