import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { get } from './api.ts'
import { isDevelopment } from './names.ts'
import { useChange } from './parts/use-change.ts'
import { Link } from './router.tsx'
import { aheadMs, nowMs, serverSaid, Time } from './time.tsx'

/** How far the clock of a development server was moved. */
const offsetMs = signal(0)

/** The clock as it was just read. */
export function clockSaid({ now, offset_ms }: { now: string; offset_ms: number }) {
  offsetMs.value = offset_ms
  serverSaid(now)
}

export async function readClock() {
  if (!isDevelopment.value) return
  const { body } = await get<{ data: { now: string; offset_ms: number } }>('clock?max_results=1')
  clockSaid(body.data)
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000

/** `1 day 1 hour`, to the second; from an hour on to the minute, because real time passes while a clock is moved. */
function writeWholeSpan(ms: number): string {
  const unitMs = Math.abs(ms) > HOUR_MS - MINUTE_MS ? MINUTE_MS : 1000
  let left = (Math.round(Math.abs(ms) / unitMs) * unitMs) / 1000
  const words = UNITS.flatMap(([name, seconds]) => {
    const count = Math.floor(left / seconds)
    left -= count * seconds
    return count === 0 ? [] : [`${count} ${name}${count === 1 ? '' : 's'}`]
  })
  return words.join(' ') || '0 seconds'
}

export const sayOffset = (ms: number) =>
  Math.abs(ms) < 1000 ? 'It shows the real time.' : `It is ${writeWholeSpan(ms)} ${ms > 0 ? 'ahead of' : 'behind'} the real time.`

/** In the header while the clock is moved: another tab or a command may have moved it, which is noticed with the next update or visit. */
export function MovedClock() {
  const read = () => void readClock().catch(() => {})
  useChange(isDevelopment, read)
  useChange(aheadMs, read)
  useEffect(() => {
    read()
    addEventListener('focus', read)
    return () => removeEventListener('focus', read)
  }, [])
  if (Math.abs(offsetMs.value) < 1000) return null
  return (
    <p class="moved-clock">
      <Link to={['develop', 'clock']}>Clock moved</Link> <Time at={new Date(nowMs.value).toISOString()} to="second" />
    </p>
  )
}
