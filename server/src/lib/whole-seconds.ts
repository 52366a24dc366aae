const twoDigits = Array.from({ length: 100 }, (_, number) => String(number).padStart(2, '0'))

/** Milliseconds since 1970 as the advertising API writes a moment: UTC, in whole seconds (`2026-03-01T12:00:00Z`), up to the year 9999. */
export function wholeSeconds(ms: number): string {
  const at = new Date(ms)
  const date = `${at.getUTCFullYear()}-${twoDigits[at.getUTCMonth() + 1]}-${twoDigits[at.getUTCDate()]}`
  return `${date}T${twoDigits[at.getUTCHours()]}:${twoDigits[at.getUTCMinutes()]}:${twoDigits[at.getUTCSeconds()]}Z`
}
