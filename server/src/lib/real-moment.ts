const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z')

/**
 * Whether a moment in ISO 8601, with its zone, is one that the calendar has, from 1970 on, as UTC has them up to 9999. `Date.parse` alone takes a 30th of February for
 * a 2nd of March.
 */
export function isRealMoment(text: string): boolean {
  const day = text.slice(0, 'yyyy-mm-dd'.length)
  const midnight = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day) && Date.parse(text) >= 0 && Date.parse(text) <= LAST_MS
}
