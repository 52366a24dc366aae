import { endOfTurn } from '../../../lib/clock.ts'
import { HOUR_MS } from '../../../lib/time.ts'
import type { Content, IdRange } from '../../../storage/content.ts'
import type { KeywordSearch } from './keyword-search.ts'

export interface KeywordServices {
  content: Pick<Content, 'rows' | 'postsWithKeywords' | 'termFrequencies'>
}

/** Hours since 1970; `to` is exclusive. */
export interface Hours {
  from: number
  to: number
}

/** Of the posts that only their texts can confirm, so many are read at most, the newest. */
const MAX_TEXTS = 100_000

/** Related keywords are taken from so many posts, the newest. */
const SAMPLE = 256

export interface KeywordCounts {
  /** How many posts of each hour match. */
  byHour: Map<number, number>
  /** The ids of the newest posts that match. */
  newest: string[]
}

/** Counts the posts of some hours that match. Others are served between two parts. */
export async function countKeywords({ content }: KeywordServices, search: KeywordSearch, hours: Hours): Promise<KeywordCounts> {
  const { any, none, countryCode, needsTexts, matchesText } = search
  const query = { any, none, countryCode, fromMs: hours.from * HOUR_MS, toMs: hours.to * HOUR_MS, withTexts: needsTexts }
  const byHour = new Map<number, number>()
  const newest: string[] = []
  let textsLeft = MAX_TEXTS
  let left: IdRange | undefined
  do {
    const found = await content.postsWithKeywords(query, left)
    const matching = needsTexts ? found.posts.filter(({ text }) => matchesText(text)) : found.posts
    for (const { createdAtMs } of matching) {
      const hour = Math.floor(createdAtMs / HOUR_MS)
      byHour.set(hour, (byHour.get(hour) ?? 0) + 1)
    }
    newest.push(...matching.slice(0, SAMPLE - newest.length).map(({ id }) => id))
    if (needsTexts) textsLeft -= found.posts.length
    left = found.left
    await endOfTurn()
  } while (left && textsLeft > 0)
  return { byHour, newest }
}
