import { appName, apps, webhookName, webhooks } from './names.ts'
import { Choice, Field, type Options } from './parts/form.tsx'
import { wordsOf } from './parts/state.tsx'
import { TimeField } from './parts/time-field.tsx'
import { setQuery } from './router.tsx'
import { type Filter, filterNames } from './row-filter.ts'
import { type Row, shown } from './rows.ts'
import { nowMs, writeTime } from './time.tsx'

type Name = (typeof filterNames)[number]

export const KINDS = { call: 'Call', event: 'Event', delivery: 'Delivery', challenge: 'Challenge' } as const

const OUTCOMES = [
  'delivered',
  'pending',
  'retrying',
  'given_up',
  'not_sent',
  'accepted',
  'unmatched',
  'answered',
  'refused',
  'passed',
  'failed',
]
const STATUSES = { '2xx': '2xx', '3xx': '3xx', '4xx': '4xx', '5xx': '5xx', none: 'no answer' } as const

const timeWords = (value: string) => (Number.isNaN(Date.parse(value)) ? value : writeTime(new Date(value).toISOString()))

/** How a chip reads. */
const CHIPS: Record<Name, (value: string) => string> = {
  kind: (value) => KINDS[value as keyof typeof KINDS] ?? value,
  app: (value) => `app: ${appName(value)}`,
  type: (value) => `type: ${value}`,
  webhook: (value) => `webhook: ${webhookName(value)}`,
  user: (value) => `user: ${value}`,
  endpoint: (value) => `endpoint: ${value}`,
  outcome: wordsOf,
  status: (value) => `status: ${STATUSES[value as keyof typeof STATUSES] ?? value}`,
  attempts: (value) => `attempts: at least ${value}`,
  from: (value) => `from: ${timeWords(value)}`,
  to: (value) => `before: ${timeWords(value)}`,
}

export function Chips({ filter }: { filter: Filter }) {
  const entries = filterNames.flatMap((name) => (filter[name] === undefined ? [] : [[name, filter[name]] as const]))
  if (entries.length === 0) return null
  return (
    <ul class="chips" aria-label="Filters">
      {entries.map(([name, value]) => (
        <li key={name}>
          <button type="button" onClick={() => setQuery({ [name]: undefined })} aria-label={`Remove the filter ${CHIPS[name](value)}`}>
            {CHIPS[name](value)} <span aria-hidden="true">×</span>
          </button>
        </li>
      ))}
      {entries.length > 1 && (
        <li>
          <button type="button" onClick={() => setQuery(Object.fromEntries(filterNames.map((name) => [name, undefined])))}>
            Remove all
          </button>
        </li>
      )}
    </ul>
  )
}

const NUMBER = '[0-9]{1,19}'

const SPANS = [
  ['15 minutes', 900_000],
  ['hour', 3_600_000],
  ['24 hours', 86_400_000],
] as const

const known = (find: (row: Row) => string | null) =>
  [...new Set(shown.value.flatMap((row) => find(row) ?? []))].sort().map((value) => [value, value] as const)

export function Filters({ filter }: { filter: Filter }) {
  const chosen = (name: Name) => ({ name, value: filter[name] ?? '', choose: (value: string | undefined) => setQuery({ [name]: value }) })
  const choice = (name: Name, label: string, options: Options) => (
    <Choice label={label} options={[['', 'any'], ...options]} {...chosen(name)} />
  )
  const time = (name: Name, label: string) => <TimeField label={label} {...chosen(name)} />
  const number = (name: Name, label: string) => (
    <Field
      label={label}
      name={name}
      inputMode="numeric"
      pattern={NUMBER}
      value={filter[name] ?? ''}
      onChange={({ currentTarget: { value, validity } }) => validity.valid && setQuery({ [name]: value.trim() })}
    />
  )
  return (
    <details class="filters">
      <summary>Filter</summary>
      <div>
        {choice('kind', 'Kind', Object.entries(KINDS))}
        {choice(
          'app',
          'App',
          apps.value.map(({ id, name }) => [id, name]),
        )}
        {choice(
          'type',
          'Event type',
          known(({ eventType }) => eventType),
        )}
        {choice(
          'webhook',
          'Webhook',
          webhooks.value.map(({ id }) => [id, webhookName(id)]),
        )}
        {choice(
          'endpoint',
          'Endpoint',
          known(({ endpoint }) => endpoint),
        )}
        {choice(
          'outcome',
          'Outcome',
          OUTCOMES.map((state) => [state, wordsOf(state)]),
        )}
        {choice('status', 'Status', Object.entries(STATUSES))}
        {number('user', 'User id')}
        {number('attempts', 'Attempts, at least')}
        {time('from', 'From')}
        {time('to', 'Before')}
        <div class="tools">
          {SPANS.map(([words, ms]) => (
            <button key={words} type="button" onClick={() => setQuery({ from: new Date(nowMs.peek() - ms).toISOString(), to: undefined })}>
              Last {words}
            </button>
          ))}
        </div>
      </div>
    </details>
  )
}
