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

/** The server's time, and the machine's where a client may sign with that too. */
interface Clocks {
  nowMs: number
  machineNowMs?: number
}

/** Corrections of the machine's clock are smaller. */
const MOVED_MS = MINUTE_MS

function describeMove({ nowMs, machineNowMs = nowMs }: Clocks): string[] {
  if (Math.abs(nowMs - machineNowMs) < MOVED_MS) return []
  const [now, machineNow] = [nowMs, machineNowMs].map((ms) => new Date(ms).toISOString())
  return [`The clock of this server was moved: it shows ${now}. It also takes timestamps of the machine's time, ${machineNow}.`]
}

/** Describes in sentences how far a client's timestamp is from the server's time, or from the machine's if that is nearer. */
export function describeClock(timestampMs: number, clocks: Clocks): string[] {
  const [aheadMs = 0] = [clocks.machineNowMs ?? clocks.nowMs, clocks.nowMs]
    .map((nowMs) => timestampMs - nowMs)
    .sort((one, other) => Math.abs(one) - Math.abs(other))
  const offMs = Math.abs(aheadMs)
  return [
    `The clock of the client is ${inWords(offMs)} ${aheadMs > 0 ? 'fast' : 'slow'}.`,
    isOfZones(offMs)
      ? 'That looks like a time zone: oauth_timestamp counts the seconds since 1970 in UTC.'
      : 'oauth_timestamp must be within 5 minutes of our time.',
    ...describeMove(clocks),
  ]
}
