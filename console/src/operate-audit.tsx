import { PagedList, usePage } from './operate-lists.tsx'
import { place, setQuery } from './router.tsx'
import type { AuditEntry } from './server-types.ts'
import { Time, zone } from './time.tsx'
import { fromField, toField } from './time-field.ts'

const TEXTS = { action: 'Action', actor: 'Token', target: 'App or user id' } as const
const TIMES = { from: 'From', to: 'Before' } as const

const names = [...Object.keys(TEXTS), ...Object.keys(TIMES)]

/** The filters, in the address. A change begins with the newest page again. */
function Filters() {
  const { query } = place.value
  return (
    <form class="tools" onSubmit={(event) => event.preventDefault()} aria-label="Filters">
      {Object.entries(TEXTS).map(([name, label]) => (
        <label key={name}>
          {label}
          <input
            value={query.get(name) ?? ''}
            onChange={(event) => setQuery({ [name]: event.currentTarget.value || undefined, before: undefined })}
          />
        </label>
      ))}
      {Object.entries(TIMES).map(([name, label]) => (
        <label key={name}>
          {label} ({zone.chosen.value === 'UTC' ? 'UTC' : 'local'})
          <input
            type="datetime-local"
            step="1"
            value={toField(query.get(name) ?? undefined)}
            onChange={(event) => setQuery({ [name]: fromField(event.currentTarget.value), before: undefined })}
          />
        </label>
      ))}
      {names.some((name) => query.has(name)) && (
        <button type="button" onClick={() => setQuery(Object.fromEntries([...names, 'before'].map((name) => [name, undefined])))}>
          Remove all
        </button>
      )}
    </form>
  )
}

const changeWords = ({ field, before, after }: AuditEntry['changes'][number]) =>
  before === null && after === null ? `${field} changed` : before === null ? `${field}: ${after}` : `${field}: ${before} → ${after}`

export function AuditPage() {
  const isFiltered = names.some((name) => place.value.query.has(name))
  return (
    <>
      <Filters />
      <PagedList
        loaded={usePage<AuditEntry>('audit', names)}
        caption="Operator calls that may change something, newest first; the newest 100,000 are kept"
        columns={['Time', 'Action', 'Status', 'Target', 'Changes', 'Token', 'Address']}
        empty={
          isFiltered
            ? 'No entry matches these filters. Remove one, or choose a longer time.'
            : 'No operator call has changed anything yet. Calls that only read, and those that publish events, are not in this log.'
        }
        row={({ at, action, status, target, app_id, user_id, changes, token_name, address }, index) => (
          <tr key={index}>
            <td data-label="Time">
              <Time at={at} />
            </td>
            <th scope="row">{action}</th>
            <td data-label="Status">{status}</td>
            <td data-label="Target">
              <code>{target}</code>
              {app_id !== null && ` app ${app_id}`}
              {user_id !== null && ` user ${user_id}`}
            </td>
            <td data-label="Changes">{changes.map(changeWords).join('; ') || '–'}</td>
            <td data-label="Token">{token_name ?? 'without a name'}</td>
            <td data-label="Address">{address ?? 'not recorded'}</td>
          </tr>
        )}
      />
    </>
  )
}
