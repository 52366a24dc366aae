import { get } from './api.ts'
import { isDevelopment } from './names.ts'
import { Hour, REASONS, type Reason, reasons } from './overview-plots.tsx'
import { Loading, useLoaded } from './parts/loaded.tsx'
import { Page } from './parts/page.tsx'
import { useRegularly } from './parts/regularly.ts'
import { deliveriesOf, feedOf, hrefOf, webhooksOf } from './router.tsx'
import type { Overview } from './server-types.ts'
import { serverSaid, Time, writeSpan } from './time.tsx'
import { useFresh } from './use-event.ts'

const READ_EVERY_MS = 5000
const HOUR_MS = 3_600_000

async function readOverview(): Promise<Overview> {
  const { body } = await get<{ data: Overview }>('overview')
  serverSaid(body.data.now)
  return body.data
}

const deliveries = (outcome: string) => feedOf({ kind: 'delivery', outcome })

/** What the database did not answer. */
const UNKNOWN = 'unknown'

/** Numbers of now, each with the list behind it. */
function tilesOf({ now, last_minute: { accepted_per_second, delivered_per_second, p50_ms, p99_ms }, waiting }: Overview) {
  // The millisecond of now is in what is due.
  const [next, hourLater] = [1, HOUR_MS + 1].map((ms) => new Date(Date.parse(now) + ms).toISOString()) as [string, string]
  const durationText = (ms: number | null) => (ms === null ? '–' : `${ms} ms`)
  const ageText = (ms: number | null) => (ms === null ? UNKNOWN : ms < 1000 ? 'none' : writeSpan(ms))
  return [
    ['events accepted a second', accepted_per_second, feedOf({ kind: 'event' })],
    ['deliveries a second', delivered_per_second, deliveries('delivered')],
    ['half of deliveries took at most (p50)', durationText(p50_ms), deliveries('delivered')],
    ['99 of 100 took at most (p99)', durationText(p99_ms), deliveries('delivered')],
    ['oldest delivery that waits', ageText(waiting.oldest_ms), deliveriesOf({ state: 'pending' })],
    ['retries due now', waiting.retries_due ?? UNKNOWN, deliveriesOf({ state: 'retrying', next_try_to: next })],
    [
      'retries due in the next hour',
      waiting.retries_next_hour ?? UNKNOWN,
      deliveriesOf({ state: 'retrying', next_try_from: next, next_try_to: hourLater }),
    ],
    ['invalid webhooks', waiting.webhooks_invalid ?? UNKNOWN, webhooksOf({ valid: 'false' })],
  ] as const
}

const FAILED: readonly Reason[] = ['failed', 'unavailable']

/** Calls are kept in development alone; wrong credentials are counted by address everywhere. */
function refusalsOf(reason: Reason): string | undefined {
  if (isDevelopment.value) return feedOf({ kind: 'call', outcome: 'refused', status: FAILED.includes(reason) ? '5xx' : '4xx' })
  return reason === 'unauthorized' || reason === 'forbidden' ? hrefOf('operate', 'failures') : undefined
}

const Tile = ({ name, value, href }: { name: string; value: string | number; href: string | undefined }) => {
  const text = (
    <>
      <strong>{value}</strong> {name}
    </>
  )
  return <li>{href === undefined ? text : <a href={href}>{text}</a>}</li>
}

const COVERED: readonly (readonly [state: Overview['covers'][number]['state'], words: string])[] = [
  ['silent', ', whose newest counts are missing because it did not answer,'],
  ['ended', ', which has ended,'],
]

/** `process 0`, `processes 0, 1`. */
const processNames = (covers: Overview['covers']) =>
  `${covers.length === 1 ? 'process' : 'processes'} ${covers.map(({ worker }) => worker).join(', ')}`

function Whose({ overview: { covers, since } }: { overview: Overview }) {
  const all = covers.filter(({ state }) => state === 'answers' || state === 'answered')
  const more = COVERED.flatMap(([state, words]) =>
    covers.filter((one) => one.state === state).map(({ worker }) => ` and process ${worker}${words}`),
  )
  return (
    <>
      Counted by {processNames(all)}
      {more} since <Time at={since} />. Retries, webhooks and what waits in the database are those of all processes.
    </>
  )
}

export function OverviewScreen() {
  const loaded = useLoaded('overview', readOverview)
  useRegularly(loaded.reload, READ_EVERY_MS)
  useFresh(loaded, () => true)
  return (
    <Page title="Overview" intro={loaded.value && <Whose overview={loaded.value} />}>
      <Loading of={loaded}>
        {(overview) => (
          <>
            <h2>Now</h2>
            <ul class="tiles" aria-label="Now">
              {tilesOf(overview).map(([name, value, href]) => (
                <Tile key={name} name={name} value={value} href={href} />
              ))}
            </ul>
            <h2>Refused calls in the last hour</h2>
            <ul class="tiles" aria-label="Refused calls in the last hour">
              {reasons.map((reason) => (
                <Tile key={reason} name={REASONS[reason]} value={overview.last_hour.refused[reason]} href={refusalsOf(reason)} />
              ))}
            </ul>
            <Hour overview={overview} />
          </>
        )}
      </Loading>
    </Page>
  )
}
