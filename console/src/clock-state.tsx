import { signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { act, get, mayOperate } from './api.ts'
import { isDevelopment, readNames } from './names.ts'
import { Act } from './parts/act.tsx'
import { useChange } from './parts/use-change.ts'
import { Link } from './router.tsx'
import type { Happened } from './server-types.ts'
import { aheadMs, nowMs, serverSaid, Time } from './time.tsx'
import { counted } from './words.ts'

/** How far the clock of a development server was moved. */
export const offsetMs = signal(0)

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

/** How far the header and its page advance the clock with one button. */
export const STEPS = [
  ['1m', '1 minute'],
  ['1h', '1 hour'],
  ['25h', '25 hours'],
] as const

export type ClockMove = { advance: string } | { set: string } | { step: string }

/** Moves the clock; everything that falls due in between has ended when it resolves. */
export async function moveClock(change: ClockMove): Promise<Happened> {
  const { body } = await act<Happened>('POST', 'clock', change)
  void readNames()
  await readClock()
  return body
}

export const isMoved = () => Math.abs(offsetMs.value) >= 1000

export const backToRealTime = (): ClockMove => ({ step: `${offsetMs.value > 0 ? '-' : ''}${Math.abs(offsetMs.value)}ms` })

function MoveClock() {
  const said = useSignal('')
  const move = async (change: ClockMove) => {
    said.value = ''
    const { data, meta } = await moveClock(change)
    const count = data.happened.length + (meta?.more ?? 0)
    said.value = count === 0 ? 'Moved: nothing fell due.' : `Moved: ${counted(count, 'thing', 'things')} happened meanwhile.`
    return ''
  }
  return (
    <details>
      <summary>Move the clock</summary>
      <p class="tools">
        {STEPS.map(([advance, name]) => (
          <Act key={advance} label={`+ ${name}`} name={`Move the clock ${name} ahead`} run={() => move({ advance })} />
        ))}
        {isMoved() && <Act label="Real time" name="Move the clock back to the real time" run={() => move(backToRealTime())} />}
      </p>
      <p role="status">{said.value}</p>
    </details>
  )
}

/** The clock in the header, and what moves it. Another tab or a command may have moved it, which is noticed with the next update or visit. */
export function HeaderClock() {
  const read = () => void readClock().catch(() => {})
  useChange(isDevelopment, read)
  useChange(aheadMs, read)
  useEffect(() => {
    read()
    addEventListener('focus', read)
    return () => removeEventListener('focus', read)
  }, [])
  if (!isDevelopment.value) return null
  return (
    <div class="clock">
      <p class={isMoved() ? 'moved' : ''}>
        <Link to={['develop', 'clock']}>{isMoved() ? 'Clock moved' : 'Clock'}</Link>{' '}
        <Time at={new Date(nowMs.value).toISOString()} to="second" short={!isMoved()} />
      </p>
      {mayOperate() && <MoveClock />}
    </div>
  )
}
