import { visitOrdinals } from '../../../lib/ordinals.ts'
import type { PackedTerm } from '../../../storage/keyword-index.ts'
import type { KeywordSearch, PlacedKeyword } from './keyword-search.ts'

/** The packed lists of an hour, by the places of their terms. */
export interface PackedHour {
  hour: number
  size: number
  dead: Uint8Array | null
  lists: ReadonlyMap<number, Uint8Array>
}

/** The packed lists of hours, the newest hour first. */
export function packedHours(rows: readonly PackedTerm[]): PackedHour[] {
  const hours = new Map<number, PackedHour & { lists: Map<number, Uint8Array> }>()
  for (const { hour, size, dead, place, posts } of rows) {
    const one = hours.get(hour) ?? { hour, size, dead, lists: new Map() }
    one.lists.set(place, posts)
    hours.set(hour, one)
  }
  return [...hours.values()].sort((one, other) => other.hour - one.hour)
}

/** What is known of a post, as bits. */
const HAS = 1
const MAY_HAVE = 2
const HAS_NEGATIVE = 4
const MAY_HAVE_NEGATIVE = 8
const IN_COUNTRY = 16
const PASSED_OVER = 32

type Marks = Uint8Array

/** Numbers from `size` on were given after the hour was looked at; their posts were unpacked when those were read. */
function mark(marks: Marks, list: Uint8Array, bit: number) {
  visitOrdinals(list, (ordinal) => {
    if (ordinal < marks.length) marks[ordinal]! |= bit
  })
}

/** Marks the posts that have all terms of a keyword. */
function markKeyword(marks: Marks, { lists }: PackedHour, { places }: PlacedKeyword, bit: number) {
  const all = places.map((place) => lists.get(place))
  if (all.some((list) => list === undefined)) return
  if (all.length === 1) return mark(marks, all[0]!, bit)
  const had = new Uint8Array(marks.length)
  for (const [before, list] of all.entries())
    visitOrdinals(list!, (ordinal) => {
      if (had[ordinal] === before) had[ordinal] = before + 1
    })
  for (let ordinal = 0; ordinal < marks.length; ordinal += 1) if (had[ordinal] === all.length) marks[ordinal]! |= bit
}

/** The numbers of the posts of an hour that match, and of those whose texts must be read to know. */
export interface MatchedHour {
  certain: number[]
  uncertain: number[]
}

/** Matches the posts of an hour but those with the numbers `passedOver`. */
export function matchHour({ any, none, country }: KeywordSearch, hour: PackedHour, passedOver: readonly number[]): MatchedHour {
  const marks: Marks = new Uint8Array(hour.size)
  for (const keyword of any) markKeyword(marks, hour, keyword, keyword.needsCheck ? MAY_HAVE : HAS)
  for (const keyword of none) markKeyword(marks, hour, keyword, keyword.needsCheck ? MAY_HAVE_NEGATIVE : HAS_NEGATIVE)
  if (country) markKeyword(marks, hour, country, IN_COUNTRY)
  if (hour.dead) mark(marks, hour.dead, PASSED_OVER)
  for (const ordinal of passedOver) marks[ordinal]! |= PASSED_OVER
  const matched: MatchedHour = { certain: [], uncertain: [] }
  for (let ordinal = 0; ordinal < marks.length; ordinal += 1) {
    const bits = marks[ordinal]!
    if ((bits & (HAS | MAY_HAVE)) === 0 || (bits & (HAS_NEGATIVE | PASSED_OVER)) !== 0) continue
    if (country && (bits & IN_COUNTRY) === 0) continue
    if ((bits & HAS) !== 0 && (bits & MAY_HAVE_NEGATIVE) === 0) matched.certain.push(ordinal)
    else matched.uncertain.push(ordinal)
  }
  return matched
}
