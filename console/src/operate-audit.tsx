import { PagedTable } from './operate-lists.tsx'
import { Field } from './parts/form.tsx'
import { setFilter } from './parts/pager.tsx'
import { TimeField } from './parts/time-field.tsx'
import { filtersHere, setQuery } from './router.tsx'
import type { AuditEntry } from './server-types.ts'
import { Time } from './time.tsx'

const TEXTS = { action: 'Action', actor: 'Token', target: 'App or user id' } as const
const TIMES = { from: 'From', to: 'Before' } as const

const names = [...Object.keys(TEXTS), ...Object.keys(TIMES)]

function Filters({ filters }: { filters: Partial<Record<string, string>> }) {
  return (
    <form class="tools" onSubmit={(event) => event.preventDefault()} aria-label="Filters">
      {Object.entries(TEXTS).map(([name, label]) => (
        <Field
          key={name}
          label={label}
          name={name}
          type="search"
          value={filters[name] ?? ''}
          onChange={(event) => setFilter(name, event.currentTarget.value.trim())}
        />
      ))}
      {Object.entries(TIMES).map(([name, label]) => (
        <TimeField key={name} label={label} name={name} value={filters[name]} choose={(iso) => setFilter(name, iso)} />
      ))}
      {Object.keys(filters).length > 0 && (
        <button type="button" onClick={() => setQuery(Object.fromEntries([...names, 'before'].map((name) => [name, undefined])))}>
          Remove all
        </button>
      )}
    </form>
  )
}

/** A secret that changed has neither a value before nor one after. */
function changeWords({ field, before, after }: AuditEntry['changes'][number]): string {
  if (before === null && after === null) return `${field} changed`
  return before === null ? `${field}: ${after}` : `${field}: ${before} → ${after}`
}

export function AuditPage() {
  const filters = filtersHere(names)
  return (
    <>
      <Filters filters={filters} />
      <PagedTable<AuditEntry>
        path="audit"
        filters={filters}
        caption="Operator calls that may change something, newest first; the newest 100,000 are kept"
        columns={['Time', 'Action', 'Status', 'Target', 'Changes', 'Token', 'Address']}
        empty={
          Object.keys(filters).length > 0
            ? 'No entry matches these filters. Remove one, or choose a longer time.'
            : 'No operator call has changed anything yet. Calls that only read, and those that publish events, are not in this log.'
        }
        cells={({ at, action, status, target, app_id, user_id, changes, token_name, address }) => [
          <Time at={at} to="second" short />,
          action,
          status,
          <>
            <code>{target}</code>
            {app_id !== null && ` app ${app_id}`}
            {user_id !== null && ` user ${user_id}`}
          </>,
          changes.map(changeWords).join('; ') || '–',
          token_name ?? 'without a name',
          address ?? 'not recorded',
        ]}
      />
    </>
  )
}
