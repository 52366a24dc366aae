const DAY_MS = 86_400_000

const twoDigits = Array.from({ length: 100 }, (_, number) => String(number).padStart(2, '0'))

/** A cache of dates: the moments of a list lie in few days. Each day has one slot, and shares it with every 64th. */
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

/** Milliseconds since 1970 as the advertising API writes a moment: UTC, in whole seconds (`2026-03-01T12:00:00Z`), up to the year 9999. */
export function wholeSeconds(ms: number): string {
  const day = Math.floor(ms / DAY_MS)
  const second = Math.floor((ms - day * DAY_MS) / 1000)
  const minute = Math.floor(second / 60)
  return `${dateOf(day)}T${twoDigits[Math.floor(minute / 60)]}:${twoDigits[minute % 60]}:${twoDigits[second % 60]}Z`
}
