import { appName, apps, webhookName, webhooks } from './names.ts'
import { setQuery } from './router.tsx'
import { type Filter, filterNames, type Row, shown } from './rows.ts'
import { nowMs, writeTime, zone } from './time.tsx'
import { fromField, toField } from './time-field.ts'
import { wordsOf } from './ui.tsx'

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

export const filterOf = (query: URLSearchParams): Filter =>
  Object.fromEntries(filterNames.flatMap((name) => (query.has(name) ? [[name, query.get(name)!]] : [])))

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

interface ChoiceProps {
  name: Name
  label: string
  options: readonly (readonly [value: string, words: string])[]
  filter: Filter
}

const Choice = ({ name, label, options, filter }: ChoiceProps) => (
  <label>
    {label}
    <select value={filter[name] ?? ''} onChange={(event) => setQuery({ [name]: event.currentTarget.value })}>
      <option value="">any</option>
      {options.map(([value, words]) => (
        <option key={value} value={value}>
          {words}
        </option>
      ))}
    </select>
  </label>
)

const NUMBER = '[0-9]{1,19}'

const NumberField = ({ name, label, filter }: Omit<ChoiceProps, 'options'>) => (
  <label>
    {label}
    <input
      type="text"
      inputMode="numeric"
      pattern={NUMBER}
      value={filter[name] ?? ''}
      onChange={({ currentTarget: { value, validity } }) => validity.valid && setQuery({ [name]: value.trim() })}
    />
  </label>
)

/** A time in the zone that is chosen; the address has it in UTC. */
const TimeField = ({ name, label, filter }: Omit<ChoiceProps, 'options'>) => (
  <label>
    {label} ({zone.chosen.value})
    <input
      type="datetime-local"
      step="1"
      value={toField(filter[name])}
      onChange={(event) => setQuery({ [name]: fromField(event.currentTarget.value) })}
    />
  </label>
)

const SPANS = [
  ['15 minutes', 900_000],
  ['hour', 3_600_000],
  ['24 hours', 86_400_000],
] as const

const known = (find: (row: Row) => string | null) =>
  [...new Set(shown.value.flatMap((row) => find(row) ?? []))].sort().map((value) => [value, value] as const)

export function Filters({ filter }: { filter: Filter }) {
  return (
    <details class="filters">
      <summary>Filter</summary>
      <div>
        <Choice name="kind" label="Kind" filter={filter} options={Object.entries(KINDS)} />
        <Choice name="app" label="App" filter={filter} options={apps.value.map(({ id, name }) => [id, name])} />
        <Choice name="type" label="Event type" filter={filter} options={known(({ eventType }) => eventType)} />
        <Choice name="webhook" label="Webhook" filter={filter} options={webhooks.value.map(({ id }) => [id, webhookName(id)])} />
        <Choice name="endpoint" label="Endpoint" filter={filter} options={known(({ endpoint }) => endpoint)} />
        <Choice name="outcome" label="Outcome" filter={filter} options={OUTCOMES.map((state) => [state, wordsOf(state)])} />
        <Choice name="status" label="Status" filter={filter} options={Object.entries(STATUSES)} />
        <NumberField name="user" label="User id" filter={filter} />
        <NumberField name="attempts" label="Attempts, at least" filter={filter} />
        <TimeField name="from" label="From" filter={filter} />
        <TimeField name="to" label="Before" filter={filter} />
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
