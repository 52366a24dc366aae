import { computed, signal } from '@preact/signals'

type Zone = 'UTC' | 'local'
type Theme = 'system' | 'light' | 'dark'

export type Preference<Value extends string> = ReturnType<typeof preference<Value>>

/** What the reader has chosen, kept by the browser. */
function preference<Value extends string>(name: string, values: readonly Value[]) {
  const key = `postern.${name}`
  const kept = () => values.find((value) => value === localStorage.getItem(key)) ?? values[0]!
  const chosen = signal<Value>(kept())
  return {
    values,
    chosen,
    choose(value: Value) {
      chosen.value = value
      localStorage.setItem(key, value)
    },
  }
}

export const zone = preference<Zone>('zone', ['UTC', 'local'])
export const theme = preference<Theme>('theme', ['system', 'light', 'dark'])
/** Whether the console has keys of one character: speech input may press them by chance (WCAG 2.1.4). */
export const keys = preference<'on' | 'off'>('keys', ['on', 'off'])

theme.chosen.subscribe((value) => {
  document.documentElement.dataset.theme = value
})

/** How far the clock of the server is ahead of this browser's: in development it can be moved. */
export const aheadMs = signal(0)

const NOTICED_MS = 2000

/** The server has just said this time. */
export function serverSaid(now: string) {
  const ahead = Date.parse(now) - Date.now()
  if (Math.abs(ahead - aheadMs.value) <= NOTICED_MS) return
  aheadMs.value = ahead
  nowMs.value = Date.now() + ahead
}

/** The time of the server; it moves on while a page shows it. */
export const nowMs = signal(Date.now())
setInterval(() => {
  if (document.visibilityState === 'visible') nowMs.value = Date.now() + aheadMs.value
}, 1000)

const pad = (value: number, width = 2) => String(value).padStart(width, '0')

/** `2026-11-24 10:05:33.120 UTC`, or the same in the zone of the browser with its offset. */
export function writeTime(iso: string): string {
  const date = new Date(iso)
  if (zone.chosen.value === 'UTC') return `${date.toISOString().slice(0, 23).replace('T', ' ')} UTC`
  const minutes = -date.getTimezoneOffset()
  const offset = `${minutes < 0 ? '−' : '+'}${pad(Math.floor(Math.abs(minutes) / 60))}:${pad(Math.abs(minutes) % 60)}`
  const day = `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`
  return `${day} ${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}.${pad(date.getMilliseconds(), 3)} ${offset}`
}

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
] as const

/** `2 minutes`: the largest unit that fits. */
export function writeSpan(ms: number): string {
  const [name, size] = UNITS.find(([, unitMs]) => ms >= unitMs) ?? UNITS[3]
  const count = Math.floor(ms / size)
  return `${count} ${name}${count === 1 ? '' : 's'}`
}

/** `in 2 minutes`, `2 minutes ago`, `now`. */
export function writeDistance(iso: string): string {
  const ms = Date.parse(iso) - nowMs.value
  if (Math.abs(ms) < 1000) return 'now'
  return ms > 0 ? `in ${writeSpan(ms)}` : `${writeSpan(-ms)} ago`
}

const DAY_CHARACTERS = '2026-11-24 '.length

/** Changes with the server's day, not with each second. */
const today = computed(() => writeTime(new Date(nowMs.value).toISOString()).slice(0, DAY_CHARACTERS))

/** A time, exact in the zone that is chosen. `short`: without its date where that is today's; its title has it. */
export function Time({ at, short = false, to = 'millisecond' }: { at: string; short?: boolean; to?: 'second' | 'millisecond' }) {
  const text = to === 'second' ? writeTime(at).replace(/\.\d{3}/, '') : writeTime(at)
  return (
    <time dateTime={at} title={text}>
      {short && text.startsWith(today.value) ? text.slice(DAY_CHARACTERS) : text}
    </time>
  )
}
