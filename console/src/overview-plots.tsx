import { useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { Empty } from './parts/empty.tsx'
import { Table } from './parts/table.tsx'
import { fromField, TimeField } from './parts/time-field.tsx'
import { type Line, Plot } from './plot.tsx'
import { feedOf } from './router.tsx'
import type { Overview } from './server-types.ts'
import { Time, zone } from './time.tsx'
import { chooseRange, chosenRange, isoSeconds, type Range } from './time-range.ts'

type Buckets = Overview['buckets']
export type Reason = keyof Buckets['refused']

export const REASONS: Record<Reason, string> = {
  invalid: 'invalid (400)',
  unauthorized: 'not authorized (401)',
  forbidden: 'forbidden (403)',
  not_found: 'not found (404)',
  rate_limited: 'rate limited (429)',
  other: 'other (4xx)',
  failed: 'failed (5xx)',
  unavailable: 'unavailable (503)',
}
export const reasons = Object.keys(REASONS) as Reason[]

/** The buckets of a range. */
interface Stretch {
  timesMs: number[]
  /** The values of a list of the buckets that are in the range. */
  part<Value>(values: readonly Value[]): Value[]
  seconds: number
  range: Range
  /** Which buckets began before the process counted. */
  isUnknown(ms: number): boolean
}

/** The buckets that the range has, whole ones. */
function stretchOf({ buckets: { from, seconds, accepted }, since }: Overview, chosen: Range | undefined): Stretch {
  const sizeMs = seconds * 1000
  const beginMs = Date.parse(from)
  const clamp = (place: number) => Math.min(Math.max(0, place), accepted.length)
  const first = chosen ? clamp(Math.floor((chosen.fromMs - beginMs) / sizeMs)) : 0
  const end = chosen ? clamp(Math.ceil((chosen.toMs - beginMs) / sizeMs)) : accepted.length
  const sinceMs = Math.floor(Date.parse(since) / sizeMs) * sizeMs
  return {
    timesMs: Array.from({ length: Math.max(0, end - first) }, (_, place) => beginMs + (first + place) * sizeMs),
    part: (values) => values.slice(first, end),
    seconds,
    range: { fromMs: beginMs + first * sizeMs, toMs: beginMs + end * sizeMs },
    isUnknown: (ms) => ms < sinceMs,
  }
}

/** Counted or measured, as its table and its plot show it. */
interface Figure {
  title: string
  unit: string
  columns: Line[]
  lines: Line[]
  /** Values stand alone, because there are none most of the time. */
  hasDots?: boolean
  /** The value that the scale of its plot reaches at least. */
  least: number
  write(value: number): string
}

const twoDigits = (value: number) => String(Math.round(value * 100) / 100)
const milliseconds = (value: number) => `${Math.round(value)} ms`
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)

function figuresOf({ buckets }: Overview, { part, seconds, timesMs, isUnknown }: Stretch): Figure[] {
  const known = (values: readonly number[]) => part(values).map((value, place) => (isUnknown(timesMs[place]!) ? null : value))
  const rates = ({ name, values }: Line): Line => ({ name, values: values.map((value) => value && value / seconds) })
  const counts: Line[] = [
    { name: 'events accepted', values: known(buckets.accepted) },
    { name: 'delivered', values: known(buckets.delivered) },
    { name: 'failed', values: known(buckets.failed) },
    { name: 'not sent', values: known(buckets.not_sent) },
  ]
  const durations: Line[] = [
    { name: 'half took at most (p50)', values: part(buckets.p50_ms) },
    { name: '99 of 100 took at most (p99)', values: part(buckets.p99_ms) },
  ]
  const refused = reasons.map((reason) => ({ name: REASONS[reason], values: known(buckets.refused[reason]) }))
  const all = { name: 'refused calls', values: known(addLists(reasons.map((reason) => buckets.refused[reason]))) }
  return [
    { title: 'Events and attempts', unit: 'a second', columns: counts, lines: counts.map(rates), least: 0.1, write: twoDigits },
    {
      title: 'Duration of attempts that delivered',
      unit: 'in milliseconds',
      columns: durations,
      lines: durations,
      hasDots: true,
      least: 10,
      write: milliseconds,
    },
    { title: 'Refused calls', unit: 'a second', columns: refused, lines: [rates(all)], least: 0.1, write: twoDigits },
  ]
}

/** The sum of several lists, value by value. */
const addLists = (lists: readonly (readonly number[])[]) => lists[0]!.map((_, place) => sum(lists.map((list) => list[place]!)))

const isFilled = (columns: readonly Line[]) => (place: number) => columns.some(({ values }) => (values[place] ?? 0) !== 0)

function FigureTable({ title, columns, timesMs, seconds }: Figure & Pick<Stretch, 'timesMs' | 'seconds'>) {
  const shown = [...timesMs.keys()].filter(isFilled(columns)).reverse()
  return (
    <Table
      figures
      caption={`${title}: stretches of ${seconds} seconds in which something happened, newest first`}
      columns={['From', ...columns.map(({ name }) => name)]}
      items={shown}
      keyOf={(place) => String(timesMs[place])}
      empty={<p>Nothing happened in this time.</p>}
      cells={(place) => [<Time at={new Date(timesMs[place]!).toISOString()} short />, ...columns.map(({ values }) => values[place] ?? '–')]}
    />
  )
}

function FigureView({ figure, stretch }: { figure: Figure; stretch: Stretch }) {
  const isOpen = useSignal(false)
  const { title, unit, lines, write, least, hasDots = false } = figure
  return (
    <section aria-label={title}>
      <h3>
        {title}, {unit}
      </h3>
      <Plot title={title} timesMs={stretch.timesMs} lines={lines} hasDots={hasDots} least={least} write={write} zoom={chooseRange} />
      <details onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
        <summary>{title} as a table</summary>
        {isOpen.value && <FigureTable {...figure} timesMs={stretch.timesMs} seconds={stretch.seconds} />}
      </details>
    </section>
  )
}

function RangeForm({ range, isChosen }: { range: Range; isChosen: boolean }) {
  const error = useSignal('')
  const apply = (event: SubmitEvent) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget as HTMLFormElement)
    const [fromMs, toMs] = ['from', 'to'].map((name) => Date.parse(fromField(String(form.get(name))) ?? ''))
    error.value = fromMs! < toMs! ? '' : 'The range must begin before it ends.'
    if (error.value === '') chooseRange({ fromMs: fromMs!, toMs: toMs! })
  }
  // A field keeps what is written in it while the last hour moves on.
  const key = `${isChosen && range.fromMs} ${isChosen && range.toMs} ${zone.chosen.value}`
  return (
    <form key={key} class="tools" onSubmit={apply} aria-label="Time range" noValidate>
      <TimeField label="From" name="from" value={isoSeconds(range.fromMs)} required />
      <TimeField label="Before" name="to" value={isoSeconds(range.toMs)} required />
      <button type="submit">Show</button>
      <button type="button" onClick={() => chooseRange(undefined)} disabled={!isChosen}>
        The last hour
      </button>
      <span role="status">{error.value}</span>
    </form>
  )
}

/** What was counted in the range, in words. */
function Sums({ overview: { buckets }, stretch: { part } }: { overview: Overview; stretch: Stretch }) {
  const facts = [
    ['Events accepted', buckets.accepted],
    ['Attempts delivered', buckets.delivered],
    ['Attempts failed', buckets.failed],
    ['Not sent', buckets.not_sent],
  ] as const
  return (
    <dl class="numbers" aria-label="In this time">
      {facts.map(([name, values]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{sum(part(values))}</dd>
        </div>
      ))}
    </dl>
  )
}

const feedIn = ({ fromMs, toMs }: Range) => feedOf({ kind: 'delivery', from: isoSeconds(fromMs), to: isoSeconds(toMs) })

/** What was counted in the last hour, or a part of it. */
export function Hour({ overview }: { overview: Overview }) {
  const chosen = chosenRange()
  const [fromMs, toMs] = [chosen?.fromMs, chosen?.toMs]
  const stretch = useMemo(() => stretchOf(overview, chosen), [overview, fromMs, toMs])
  const figures = useMemo(() => figuresOf(overview, stretch), [overview, stretch])
  return (
    <>
      <h2>{chosen ? 'A part of the last hour' : 'The last hour'}</h2>
      <p class="soft">Draw over a plot to see a part of it, or give its beginning and end.</p>
      <RangeForm range={chosen ?? stretch.range} isChosen={chosen !== undefined} />
      {stretch.timesMs.length === 0 ? (
        <Empty>Nothing is kept of this time: this is the last hour alone. Press The last hour to see it.</Empty>
      ) : (
        <>
          <Sums overview={overview} stretch={stretch} />
          {chosen && (
            <p>
              <a href={feedIn(stretch.range)}>Deliveries of this time in the feed</a>
            </p>
          )}
          {figures.map((figure) => (
            <FigureView key={figure.title} figure={figure} stretch={stretch} />
          ))}
        </>
      )}
    </>
  )
}
