const DAY_MS = 86_400_000

/** How far a zone's clocks are before UTC, in milliseconds, from `GMT-03:30`, or `GMT-00:44:30` as some once were. */
function offsetMs(name: string): number {
  const [, sign, hours, minutes, seconds = '0'] = /([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(name) ?? ['', '+', '0', '0']
  const ms = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000
  return sign === '-' ? -ms : ms
}

/**
 * When the day of a moment began in a zone of the IANA database, both in milliseconds since 1970. Where the clocks skip midnight, it is when
 * they do; where they show it twice, it is the last that lies not after the moment. Throws RangeError for a zone that does not exist.
 */
export function lastMidnightMs(timezone: string, ms: number): number {
  const format = new Intl.DateTimeFormat('en', { timeZone: timezone, timeZoneName: 'longOffset' })
  const offsetAt = (atMs: number) => offsetMs(format.formatToParts(atMs).find(({ type }) => type === 'timeZoneName')?.value ?? '')
  const shownMs = Math.floor((ms + offsetAt(ms)) / DAY_MS) * DAY_MS
  return shownMs - offsetAt(shownMs - offsetAt(ms))
}
