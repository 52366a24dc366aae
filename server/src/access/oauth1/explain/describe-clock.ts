import { HOUR_MS, MINUTE_MS } from '../../../lib/time.ts'

const UNITS: [name: string, ms: number][] = [
  ['year', 365.25 * 24 * HOUR_MS],
  ['day', 24 * HOUR_MS],
  ['hour', HOUR_MS],
  ['minute', MINUTE_MS],
]

/** A duration of at least a minute in its largest unit: `12 minutes`. */
function inWords(ms: number): string {
  const [name, unitMs] = UNITS.find(([, unitMs]) => ms >= unitMs * 1.5) ?? UNITS.at(-1)!
  const count = Math.round(ms / unitMs)
  return `${count} ${name}${count === 1 ? '' : 's'}`
}

const LARGEST_ZONE_MS = 14 * HOUR_MS

/** Whether a difference looks like one of time zones, within 2 minutes. */
function isOfZones(offMs: number): boolean {
  const stepsMs = Math.round(offMs / (HOUR_MS / 2)) * (HOUR_MS / 2)
  return stepsMs > 0 && stepsMs <= LARGEST_ZONE_MS && Math.abs(offMs - stepsMs) <= 2 * MINUTE_MS
}

/** Describes in sentences that a client's clock is `aheadMs` ahead of the server's. */
export function describeClock(aheadMs: number): string[] {
  const offMs = Math.abs(aheadMs)
  return [
    `The clock of the client is ${inWords(offMs)} ${aheadMs > 0 ? 'fast' : 'slow'}.`,
    isOfZones(offMs)
      ? 'That looks like a time zone: oauth_timestamp counts the seconds since 1970 in UTC.'
      : 'oauth_timestamp must be within 5 minutes of our time.',
  ]
}
