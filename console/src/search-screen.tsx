import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { type ApiError, get } from './api.ts'
import type { OperatorAnswers } from './declared.ts'
import { Field } from './parts/form.tsx'
import { Failure, refusalOf } from './parts/loaded.tsx'
import { Page, type ScreenComponent } from './parts/page.tsx'
import { Table } from './parts/table.tsx'
import { fromField, TimeField } from './parts/time-field.tsx'
import { Link, place, setQuery } from './router.tsx'
import { nowMs, Time } from './time.tsx'

type Found = OperatorAnswers['GET /operator/events']['data'][number]

const DAY_MS = 86_400_000
/** An event of this second is found too. */
const MINUTE_MS = 60_000

interface Wanted {
  text: string
  from: string
  to: string
}

/** What the address asks for: without times the last 24 hours. */
function wantedHere(): Wanted {
  const { query } = place.peek()
  const now = nowMs.peek()
  return {
    text: query.get('text') ?? '',
    from: query.get('from') ?? new Date(now - DAY_MS).toISOString(),
    to: query.get('to') ?? new Date(now + MINUTE_MS).toISOString(),
  }
}

/** Looks back through the log, one bounded call at a time. */
function useSearch() {
  const found = useSignal<readonly Found[]>([])
  const lookedUntil = useSignal<string | undefined>(undefined)
  const next = useSignal<string | undefined>(undefined)
  const error = useSignal<ApiError | undefined>(undefined)
  const isBusy = useSignal(false)
  const turn = useRef(0)
  const wanted = useRef<Wanted>(wantedHere())
  const look = async (before?: string) => {
    const mine = ++turn.current
    isBusy.value = true
    error.value = undefined
    try {
      const query = new URLSearchParams({ ...wanted.current, ...(before !== undefined && { before }) })
      const { data, meta } = (await get<OperatorAnswers['GET /operator/events']>(`events?${query}`)).body
      if (mine !== turn.current) return
      found.value = before === undefined ? data : [...found.value, ...data]
      lookedUntil.value = meta.looked_until
      next.value = meta.next_before
    } catch (refused) {
      if (mine === turn.current) error.value = refusalOf(refused)
    } finally {
      if (mine === turn.current) isBusy.value = false
    }
  }
  const begin = (asked: Wanted) => {
    wanted.current = asked
    found.value = []
    lookedUntil.value = next.value = undefined
    if (asked.text !== '') void look()
  }
  useEffect(() => begin(wantedHere()), [])
  return { found, lookedUntil, next, error, isBusy, begin, goOn: () => look(next.value), wanted }
}

const Results = ({ found }: { found: readonly Found[] }) => (
  <Table
    caption="Events that carry the text, newest first"
    columns={['Accepted', 'Event', 'About user', 'Where', 'What stands there']}
    head={1}
    items={found}
    keyOf={({ event_uuid }) => event_uuid}
    cells={({ accepted_at, event_uuid, event_type, user_id, path, excerpt }) => [
      <Time at={accepted_at} />,
      <Link to={['events', event_uuid]}>{event_type}</Link>,
      user_id,
      <code>{path}</code>,
      excerpt,
    ]}
  />
)

function SearchForm({ begin, wanted }: { begin: (wanted: Wanted) => void; wanted: Wanted }) {
  const search = (event: SubmitEvent) => {
    event.preventDefault()
    const fields = new FormData(event.currentTarget as HTMLFormElement)
    const field = (name: string) => String(fields.get(name) ?? '')
    setQuery({ text: field('text'), from: fromField(field('from')), to: fromField(field('to')) })
    begin(wantedHere())
  }
  return (
    <form class="filters" onSubmit={search}>
      <div>
        <Field label="Text, as it is" type="search" name="text" required maxLength={200} defaultValue={wanted.text} />
        <TimeField label="From" name="from" value={place.value.query.get('from') ?? undefined} />
        <TimeField label="Before" name="to" value={place.value.query.get('to') ?? undefined} />
      </div>
      <button type="submit">Search</button>
    </form>
  )
}

export const SearchScreen: ScreenComponent = () => {
  const { found, lookedUntil, next, error, isBusy, begin, goOn, wanted } = useSearch()
  return (
    <Page
      title="Search in payloads"
      above={{ to: [], name: 'Feed' }}
      intro="Finds a text in what events carry. Without times: within the last 24 hours."
    >
      <SearchForm begin={begin} wanted={wanted.current} />
      {error.value && <Failure error={error.value} />}
      <p role="status">
        {isBusy.value && 'Looking…'}
        {!isBusy.value && lookedUntil.value !== undefined && (
          <>
            {found.value.length} found. Looked back to <Time at={lookedUntil.value} />
            {next.value === undefined && ', where the range begins'}.
          </>
        )}
      </p>
      <Results found={found.value} />
      {next.value !== undefined && (
        <button type="button" onClick={goOn} disabled={isBusy.value}>
          Look further back
        </button>
      )}
    </Page>
  )
}
