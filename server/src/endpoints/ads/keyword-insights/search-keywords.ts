import { adsUser } from '../../../access/ads-user.ts'
import { adsTime } from '../../../api/declare/ads-words.ts'
import { adsProblem } from '../../../api/declare/problem.ts'
import { before, type Rule } from '../../../api/declare/rules.ts'
import { commaList, integer, listOf, object, oneOf, optional, text } from '../../../api/declare/words.ts'
import { adsEndpoint } from '../../../api/records/ads-endpoint.ts'
import { HOUR_MS } from '../../../lib/time.ts'
import type { Content } from '../../../storage/content.ts'
import { places } from '../../../storage/content-tables.ts'
import { countryOf } from '../line-item-curated-categories/countries-of-places.ts'
import { countKeywords, type KeywordServices } from './count-keywords.ts'
import { readKeywords } from './keyword-search.ts'
import { MAX_RELATED, relatedKeywords } from './related-keywords.ts'

const MAX_KEYWORDS = 10
const MAX_HOURS = 7 * 24

const bucketHours = { DAY: 24, HOUR: 1 } as const

const lengthOf = (value: unknown) => (Array.isArray(value) ? value.length : 0)

const notTooMany: Rule = {
  message: `\`keywords\` and \`negative_keywords\` may have at most ${MAX_KEYWORDS} values together`,
  parameters: ['keywords', 'negative_keywords'],
  holds: ({ keywords, negative_keywords }) => lengthOf(keywords) + lengthOf(negative_keywords) <= MAX_KEYWORDS,
}

/** The country of a targeting value: the id of a country, or its code. Throws 400 for any other place. */
async function countryAt(location: string, content: Pick<Content, 'rows'>): Promise<string> {
  const known = countryOf(location)
  if (known !== undefined) return known
  const [place] = await content.rows(places, ['place_type', 'country_code'], [location])
  if (place?.[0] === 'country' && place[1] !== '') return (place[1] as string).toUpperCase()
  throw adsProblem('INVALID_PARAMETER', `Expected the targeting value of a country, got "${location}" for location`, 'location')
}

/** The buckets of a span, as hours since 1970. Both ends are floored. Throws 400 for a span of no bucket, or of more than seven days. */
function spanOf(startMs: number, endMs: number, granularity: keyof typeof bucketHours) {
  const length = bucketHours[granularity]
  const floored = (ms: number) => Math.floor(ms / HOUR_MS / length) * length
  const [from, to] = [floored(startMs), floored(endMs)]
  if (endMs - startMs > MAX_HOURS * HOUR_MS)
    throw adsProblem('INVALID_TIME_WINDOW', 'end_time may lie at most 7 days after start_time', 'end_time')
  if (to <= from)
    throw adsProblem(
      'INVALID_TIME_WINDOW',
      `there is no full ${granularity} between start_time and end_time, which are floored to it`,
      'end_time',
    )
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
    '`end_time` is not counted; `end_time` is now if it is not sent, and at most 7 days after `start_time`. Of posts that may have a phrase the newest 100,000 are looked at.',
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
  example: { start_time: '2026-03-01T00:00:00Z', end_time: '2026-03-02T00:00:00Z' },
  data: object({
    related_keywords: listOf(text(), { max: MAX_RELATED }),
    tweet_volume: listOf(integer({ min: 0 }), { description: 'The posts of each bucket, the oldest first.' }),
  }),
  async handle({ params }, services: KeywordServices & { now: () => number }) {
    const { granularity, keywords, negative_keywords = [], start_time, end_time, location } = params
    const { from, to, length } = spanOf(Date.parse(start_time), end_time === undefined ? services.now() : Date.parse(end_time), granularity)
    const country = location === undefined ? undefined : await countryAt(location, services.content)
    const search = readKeywords(keywords, negative_keywords, country)
    const { byHour, newest } = await countKeywords(services, search, { from, to })
    const volume = Array.from({ length: (to - from) / length }, () => 0)
    for (const [hour, posts] of byHour) volume[Math.floor((hour - from) / length)]! += posts
    return { data: { related_keywords: await relatedKeywords(services, newest, search.ownTerms), tweet_volume: volume } }
  },
})
