import { get } from './api.ts'
import { AppLink } from './parts/app-link.tsx'
import { Empty } from './parts/empty.tsx'
import { type Fact, Facts } from './parts/facts.tsx'
import { Choice } from './parts/form.tsx'
import { Loading, useLoaded } from './parts/loaded.tsx'
import { Page } from './parts/page.tsx'
import { useRegularly } from './parts/regularly.ts'
import { State } from './parts/state.tsx'
import { Table } from './parts/table.tsx'
import { place, setQuery } from './router.tsx'
import type { App, AppUsage, Usage } from './server-types.ts'
import { nowMs, Time, writeSpan } from './time.tsx'
import { counted, writeBytes, writeCount } from './words.ts'

const READ_EVERY_MS = 10_000

type Counted = keyof Usage['meta']['others']
type Measure = Counted | 'backlog' | 'backlog_age_ms' | 'rows'

/** `850 ms`, `12.5 s`, `3 minutes`. */
const writeDuration = (ms: number) => (ms < 1000 ? `${ms} ms` : ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : writeSpan(ms))

/** What is known of an app: its name, that of its column, and how a value reads. */
const MEASURES: Record<Measure, readonly [name: string, column: string, write?: (value: number) => string]> = {
  calls: ['Calls', 'Calls'],
  refusals: ['Refused calls', 'Refused'],
  events: ['Events', 'Events'],
  deliveries: ['Deliveries', 'Deliveries'],
  attempts: ['Attempts', 'Attempts'],
  failed_attempts: ['Failed attempts', 'Failed'],
  bytes: ['Bytes sent', 'Sent', writeBytes],
  callback_ms: ['Time of callbacks', 'Callbacks', writeDuration],
  backlog: ['Deliveries that wait', 'Waiting'],
  backlog_age_ms: ['Age of the oldest that waits', 'Oldest', writeDuration],
  rows: ['Rows', 'Rows'],
}

const measures = Object.keys(MEASURES) as Measure[]
const countedMeasures = measures.slice(0, -3) as Counted[]

/** What a list of others has not, and the age of nothing, is a dash. */
const write = (measure: Measure, value: number | null | undefined) =>
  value === undefined || value === null ? '–' : (MEASURES[measure][2] ?? writeCount)(value)

const WINDOWS = [
  ['hour', 'the last hour', 3_600_000],
  ['day', 'the last 24 hours', 86_400_000],
] as const

async function readUsage(ms: number, query: Record<string, string>) {
  const from = new Date(nowMs.peek() - ms).toISOString()
  return (await get<Usage>(`usage?${new URLSearchParams({ from, ...query })}`)).body
}

/** How much an app has of what the heaviest has, for the eye. */
const Share = ({ of, most }: { of: number; most: number }) => (
  <svg class="share" aria-hidden="true">
    <rect class="step0" width={`${(100 * of) / (most || 1)}%`} height="100%" />
  </svg>
)

const TOPS = ['10', '20', '50', '100'].map((count) => [count, count] as const)

/** Which apps load the server most, by a measure that is in the address. */
export function LoadPage() {
  const { query } = place.value
  const by = (query.get('by') ?? 'deliveries') as Measure
  const [over, , ms] = WINDOWS.find(([name]) => name === query.get('over')) ?? WINDOWS[0]
  const top = query.get('top') ?? '20'
  const loaded = useLoaded(`${by} ${over} ${top}`, () => readUsage(ms, { by, max_results: top }))
  useRegularly(loaded.reload, READ_EVERY_MS)
  return (
    <Page
      title="Load by app"
      above={{ to: ['apps'], name: 'Apps' }}
      intro="Which apps load the server most. What waits and the rows are those of now, everything else is counted over the time."
    >
      <div class="tools">
        <Choice
          label="Heaviest by"
          name="by"
          options={measures.map((measure) => [measure, MEASURES[measure][0]])}
          value={by}
          choose={(chosen) => setQuery({ by: chosen })}
        />
        <Choice
          label="In"
          name="over"
          options={WINDOWS.map(([name, words]) => [name, words])}
          value={over}
          choose={(chosen) => setQuery({ over: chosen })}
        />
        <Choice label="Apps, at most" name="top" options={TOPS} value={top} choose={(chosen) => setQuery({ top: chosen })} />
      </div>
      <Loading of={loaded}>
        {({ data, meta }) => (
          <Table<AppUsage | (Usage['meta']['others'] & { app_id: null })>
            figures
            sorted={MEASURES[by][1]}
            caption={
              <>
                From <Time at={meta.from} to="second" /> to <Time at={meta.to} to="second" />, all processes together
              </>
            }
            columns={['App', ...measures.map((measure) => MEASURES[measure][1])]}
            items={data.length === 0 ? data : [...data, { ...meta.others, app_id: null }]}
            keyOf={({ app_id }) => String(app_id)}
            empty={<Empty>No app has any of this. Choose another measure, or a longer time.</Empty>}
            cells={(row) => [
              row.app_id === null ? (
                'All others'
              ) : (
                <>
                  <AppLink id={row.app_id} />
                  <Share of={(row as AppUsage)[by] ?? 0} most={data[0]![by] ?? 0} />
                </>
              ),
              ...measures.map((measure) => write(measure, (row as Partial<AppUsage>)[measure])),
            ]}
          />
        )}
      </Loading>
    </Page>
  )
}

const KEPT_BACK = 'Its deliveries are kept for replay until the month ends (UTC), or until there is more room.'

/** What is used of a quota, and what follows where that is all. */
const quotaFact = (name: string, used: number, quota: number | null, unit: string, then: string): Fact => [
  name,
  quota === null ? (
    'no limit'
  ) : (
    <>
      {writeCount(used)} of {writeCount(quota)} {unit}{' '}
      {used < quota ? (
        <progress value={used} max={quota} aria-label={name} />
      ) : (
        <>
          <State of="used_up" />. {then}
        </>
      )}
    </>
  ),
]

const Quotas = ({ app, usage: { month_events, month_deliveries, rows } }: { app: App; usage: AppUsage }) => (
  <div>
    <h2>Quotas</h2>
    <Facts
      of={[
        quotaFact('Events', month_events, app.event_quota, 'this month', KEPT_BACK),
        quotaFact('Deliveries', month_deliveries, app.delivery_quota, 'this month', KEPT_BACK),
        quotaFact('Rows', rows, app.row_quota, 'now', 'New webhooks and subscriptions are refused.'),
        quotaFact(
          'Usage cap',
          month_deliveries,
          app.usage_cap,
          'deliveries this month',
          'New subscriptions are refused until the month ends (UTC).',
        ),
      ]}
    />
  </div>
)

const waitingWords = ({ backlog, backlog_age_ms }: AppUsage) =>
  backlog_age_ms === null
    ? 'All processes together. No delivery waits'
    : `All processes together. ${counted(backlog, 'delivery waits', 'deliveries wait')}, the oldest for ${writeDuration(backlog_age_ms)}`

/** What an app did, what waits, and how much it may. */
export function AppLoad({ app }: { app: App }) {
  const loaded = useLoaded(`load ${app.id}`, () => Promise.all(WINDOWS.map(([, , ms]) => readUsage(ms, { app_id: app.id }))))
  useRegularly(loaded.reload, READ_EVERY_MS)
  return (
    <Loading of={loaded}>
      {(read) => {
        const [hour, day] = read.map(({ data }) => data[0]!) as [AppUsage, AppUsage]
        return (
          <div class="side-by-side">
            <div>
              <h2>Load</h2>
              <Table
                figures
                caption={waitingWords(hour)}
                columns={['Measure', 'Last hour', 'Last 24 hours']}
                items={countedMeasures}
                cells={(measure) => [MEASURES[measure][0], write(measure, hour[measure]), write(measure, day[measure])]}
              />
            </div>
            <Quotas app={app} usage={hour} />
          </div>
        )
      }}
    </Loading>
  )
}
