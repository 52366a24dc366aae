import { endOfTurn } from '../../../lib/clock.ts'
import type { Content } from '../../../storage/content.ts'
import { posts } from '../../../storage/content-tables.ts'
import type { Hours, KeywordIndex } from '../../../storage/keyword-index.ts'
import type { KeywordSearch } from './keyword-search.ts'
import { type MatchedHour, matchHour, type PackedHour, packedHours } from './match-hour.ts'
import { type UnpackedMatches, unpackedMatches } from './unpacked-matches.ts'

export interface KeywordServices {
  content: Pick<Content, 'rows'>
  keywordIndex: KeywordIndex
}

/** Hours are read so many at a time, and texts too; others are served in between. */
const HOURS_AT_ONCE = 24
const TEXTS_AT_ONCE = 500

/** The texts of so many posts, the newest, are read at most to find those that have a phrase. */
const MAX_TEXTS = 100_000

/** Related keywords are taken from so many posts, the newest. */
const SAMPLE = 256

export interface KeywordCounts {
  /** How many posts of each hour match. */
  byHour: Map<number, number>
  /** The ids of the newest posts that match. */
  newest: string[]
}

type PostIds = ReadonlyMap<number, BigInt64Array>

/** The numbers of packed posts that are unpacked again. */
function passedOver(hour: PackedHour, unpacked: UnpackedMatches, ids: PostIds): number[] {
  const again = unpacked.ids.get(hour.hour)
  if (!again) return []
  const numbers: number[] = []
  for (const [ordinal, id] of (ids.get(hour.hour) ?? []).entries()) if (ordinal < hour.size && again.has(id)) numbers.push(ordinal)
  return numbers
}

const newestFirst = (one: string, other: string) => (BigInt(one) < BigInt(other) ? 1 : -1)

/** Counts the posts of some hours that match, the newest hours first. */
export async function countKeywords(services: KeywordServices, search: KeywordSearch, hours: Hours): Promise<KeywordCounts> {
  const { content, keywordIndex } = services
  const byHour = new Map<number, number>()
  const newest: string[] = []
  let textsLeft = MAX_TEXTS

  /** Which of the posts of which only the text can tell match. */
  async function certainOf({ certain, uncertain }: MatchedHour, ids: BigInt64Array): Promise<number[]> {
    const matching = [...certain]
    for (let from = uncertain.length; from > 0 && textsLeft > 0; from -= TEXTS_AT_ONCE) {
      const read = uncertain.slice(Math.max(0, from - TEXTS_AT_ONCE), from)
      textsLeft -= read.length
      const rows = await content.rows(
        posts,
        ['id', 'text'],
        read.map((ordinal) => String(ids[ordinal])),
      )
      const has = new Set(rows.filter(([, text]) => search.matchesText(text as string)).map(([id]) => id))
      matching.push(...read.filter((ordinal) => has.has(String(ids[ordinal]))))
      await endOfTurn()
    }
    return matching
  }

  function add(hour: number, postIds: readonly string[]) {
    if (newest.length < SAMPLE) newest.push(...[...postIds].sort(newestFirst).slice(0, SAMPLE - newest.length))
    byHour.set(hour, (byHour.get(hour) ?? 0) + postIds.length)
  }

  /** The sample needs the ids of all matching posts of an hour; once it is full, their number suffices. */
  async function countPacked(hour: PackedHour, matched: MatchedHour, ofUnpacked: readonly string[], known: PostIds) {
    const needsIds = matched.uncertain.length > 0 || newest.length < SAMPLE
    if (!needsIds) return byHour.set(hour.hour, matched.certain.length + ofUnpacked.length)
    const ids = known.get(hour.hour) ?? (await keywordIndex.postIds([hour.hour])).get(hour.hour)!
    const certain = await certainOf(matched, ids)
    add(hour.hour, [...ofUnpacked, ...certain.map((ordinal) => String(ids[ordinal]))])
  }

  const unpacked = await unpackedMatches(services, search, hours)
  for (let to = hours.to; to > hours.from; to -= HOURS_AT_ONCE) {
    const part = { from: Math.max(hours.from, to - HOURS_AT_ONCE), to }
    const packed = packedHours(await keywordIndex.packed(part, search.terms))
    const known = await keywordIndex.postIds(packed.map(({ hour }) => hour).filter((hour) => unpacked.ids.has(hour)))
    const packedByHour = new Map(packed.map((hour) => [hour.hour, hour]))
    for (let hour = part.to - 1; hour >= part.from; hour -= 1) {
      const one = packedByHour.get(hour)
      const ofUnpacked = unpacked.matched.get(hour) ?? []
      const matched = one && matchHour(search, one, passedOver(one, unpacked, known))
      if (matched && matched.certain.length + matched.uncertain.length > 0) await countPacked(one!, matched, ofUnpacked, known)
      else if (ofUnpacked.length > 0) add(hour, ofUnpacked)
    }
    await endOfTurn()
  }
  return { byHour, newest }
}
