const UNIT_MS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

export const SECOND_MS = 1000
export const MINUTE_MS = 60_000
export const HOUR_MS = 3_600_000
export const DAY_MS = 86_400_000

/** Parses a duration such as `500ms`, `10s`, `5m`, `1h` or `2d` to milliseconds; undefined if it is none. */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d{1,12}(?:\.\d{1,6})?)(ms|s|m|h|d)$/.exec(text.trim())
  if (!match) return undefined
  return Math.round(Number(match[1]) * UNIT_MS[match[2]!]!)
}

/** Formats milliseconds in the largest unit without a fraction: `90s`, `5m`. */
export function formatDuration(ms: number): string {
  for (const unit of ['d', 'h', 'm', 's']) if (ms >= UNIT_MS[unit]! && ms % UNIT_MS[unit]! === 0) return `${ms / UNIT_MS[unit]!}${unit}`
  return `${ms}ms`
}

const WORDS = [
  ['day', DAY_MS],
  ['hour', HOUR_MS],
  ['minute', MINUTE_MS],
  ['second', SECOND_MS],
] as const

/** A duration in words, in its two largest units: `1 day and 3 hours`. Less than a second is `less than a second`. */
export function sayDuration(ms: number): string {
  const first = WORDS.findIndex(([, unitMs]) => ms >= unitMs)
  if (first === -1) return 'less than a second'
  let leftMs = ms
  const counts = WORDS.slice(first, first + 2).map(([name, unitMs]) => {
    const count = Math.floor(leftMs / unitMs)
    leftMs -= count * unitMs
    return count === 0 ? '' : `${count} ${name}${count === 1 ? '' : 's'}`
  })
  return counts.filter(Boolean).join(' and ')
}

const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z')

/**
 * Whether an ISO 8601 time with a zone exists in the calendar, between 1970 and 9999 in UTC. `Date.parse` alone accepts a 30th of February as
 * a 2nd of March.
 */
export function isRealMoment(text: string): boolean {
  const day = text.slice(0, 'yyyy-mm-dd'.length)
  const midnight = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day) && Date.parse(text) >= 0 && Date.parse(text) <= LAST_MS
}

const twoDigits = Array.from({ length: 100 }, (_, number) => String(number).padStart(2, '0'))

/** A cache of formatted dates, because the times in a list are on few days. Each day has one slot, shared with every 64th. */
const SLOTS = 64
const cachedDays: number[] = Array.from({ length: SLOTS }, () => Number.NaN)
const cachedDates: string[] = Array.from({ length: SLOTS }, () => '')

/** The date of a day, counted from 1970. */
function dateOf(day: number): string {
  const slot = day & (SLOTS - 1)
  if (cachedDays[slot] === day) return cachedDates[slot]!
  const at = new Date(day * DAY_MS)
  const date = `${at.getUTCFullYear()}-${twoDigits[at.getUTCMonth() + 1]}-${twoDigits[at.getUTCDate()]}`
  cachedDays[slot] = day
  cachedDates[slot] = date
  return date
}

function formatSeconds(ms: number): string {
  const day = Math.floor(ms / DAY_MS)
  const second = Math.floor((ms - day * DAY_MS) / 1000)
  const minute = Math.floor(second / 60)
  return `${dateOf(day)}T${twoDigits[Math.floor(minute / 60)]}:${twoDigits[minute % 60]}:${twoDigits[second % 60]}Z`
}

/** The last formatted time: most records were changed when they were created, and never since. */
let lastMs = Number.NaN
let lastText = ''

/** Formats milliseconds since 1970 as the advertising API does: UTC in whole seconds (`2026-03-01T12:00:00Z`), up to the year 9999. */
export function wholeSeconds(ms: number): string {
  if (ms !== lastMs) {
    lastText = formatSeconds(ms)
    lastMs = ms
  }
  return lastText
}

/** Formats milliseconds since 1970 as the general API does: UTC with milliseconds (`2026-03-01T12:00:00.000Z`), up to the year 9999. */
export function isoMoment(ms: number): string {
  const fraction = ms % SECOND_MS
  const seconds = wholeSeconds(ms)
  return `${seconds.slice(0, -1)}.${fraction < 10 ? '00' : fraction < 100 ? '0' : ''}${fraction}Z`
}

/** Whether a text is a name in the IANA time zone database. Offsets are not. */
export function isTimezone(name: string): boolean {
  if (/^[+-]/.test(name)) return false
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined
  } catch {
    return false
  }
}

/** Parses an offset from UTC to milliseconds: `GMT-03:30`, or `GMT-00:44:30` as some once were. */
function offsetMs(name: string): number {
  const [, sign, hours, minutes, seconds = '0'] = /([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(name) ?? ['', '+', '0', '0']
  const ms = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000
  return sign === '-' ? -ms : ms
}

/** How far a zone is ahead of UTC at a time, both in milliseconds. Throws a RangeError for an unknown zone. */
function zoneOffset(timezone: string): (atMs: number) => number {
  const format = new Intl.DateTimeFormat('en', { timeZone: timezone, timeZoneName: 'longOffset' })
  return (atMs) => offsetMs(format.formatToParts(atMs).find(({ type }) => type === 'timeZoneName')?.value ?? '')
}

/**
 * The last midnight in an IANA time zone at or before a time, both in milliseconds since 1970. If the clocks skip midnight, it is the time of
 * the skip. If they show it twice, it is the last one not after the time. Throws a RangeError for an unknown zone.
 */
export function lastMidnightMs(timezone: string, ms: number): number {
  const offsetAt = zoneOffset(timezone)
  const shownMs = Math.floor((ms + offsetAt(ms)) / DAY_MS) * DAY_MS
  return shownMs - offsetAt(shownMs - offsetAt(ms))
}

/** A calendar in an IANA time zone. Days are counted from 1970. Throws a RangeError for an unknown zone. */
export function createZonedCalendar(timezone: string) {
  const offsetAt = zoneOffset(timezone)
  return {
    dayOf: (ms: number): number => Math.floor((ms + offsetAt(ms)) / DAY_MS),
    /**
     * When the clocks show a minute of a day, in milliseconds since 1970. If they skip it, it is as long after the skip as the minute is after
     * the time before the skip. If they show it twice, it is the first time.
     */
    momentOf(day: number, minute: number): number {
      const shownMs = day * DAY_MS + minute * MINUTE_MS
      const [before, after] = [offsetAt(shownMs - DAY_MS), offsetAt(shownMs + DAY_MS)]
      const candidates = [shownMs - before, shownMs - after].filter((ms) => ms + offsetAt(ms) === shownMs)
      return candidates.length > 0 ? Math.min(...candidates) : shownMs - before
    },
  }
}

/** A calendar month in UTC as a number: `202603` for March 2026. */
export function monthOf(ms: number): number {
  const date = new Date(ms)
  return date.getUTCFullYear() * 100 + date.getUTCMonth() + 1
}
