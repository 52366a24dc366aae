import type { ComponentChildren } from 'preact'
import { get } from './api.ts'
import { ColumnHeads } from './list-screens.tsx'
import { place, setQuery } from './router.tsx'
import type { AuditEntry, CredentialFailure } from './server-types.ts'
import { Time } from './time.tsx'
import { Failure, type Loaded, useLoaded } from './ui.tsx'

interface ListPage<Item> {
  data: Item[]
  meta: { next_before?: number }
}

const PAGE = 100

/** A page of a list, newest first; which one is in the address. */
function usePage<Item>(path: string): Loaded<ListPage<Item>> {
  const before = place.value.query.get('before')
  const query = new URLSearchParams({ max_results: String(PAGE), ...(before !== null && { before }) })
  return useLoaded(`${path} ${before}`, async () => (await get<ListPage<Item>>(`${path}?${query}`)).body)
}

interface PagedListProps<Item> {
  loaded: Loaded<ListPage<Item>>
  caption: string
  columns: readonly string[]
  empty: string
  row(item: Item, place: number): ComponentChildren
}

function PagedList<Item>({ loaded: { value, error, reload }, caption, columns, empty, row }: PagedListProps<Item>) {
  const next = value?.meta.next_before
  const isLater = place.value.query.has('before')
  return (
    <>
      <p class="tools">
        <button type="button" onClick={reload}>
          Read again
        </button>
        <button type="button" disabled={!isLater} onClick={() => setQuery({ before: undefined })}>
          Newest
        </button>
        <button type="button" disabled={next === undefined} onClick={() => setQuery({ before: String(next) })}>
          Older
        </button>
      </p>
      {error && <Failure error={error} retry={reload} />}
      {!value && !error && <p class="soft">Reading…</p>}
      {value?.data.length === 0 && <p class="empty">{empty}</p>}
      {value && value.data.length > 0 && (
        <table>
          <caption>{caption}</caption>
          <ColumnHeads names={columns} />
          <tbody>{value.data.map(row)}</tbody>
        </table>
      )}
    </>
  )
}

export function AuditPage() {
  return (
    <PagedList
      loaded={usePage<AuditEntry>('audit')}
      caption="Operator calls that may change something, newest first; the newest 100,000 are kept"
      columns={['Time', 'Action', 'Status', 'Target', 'Token', 'Address']}
      empty="No operator call has changed anything yet. Calls that only read, and those that publish events, are not in this log."
      row={({ at, action, status, target, token_name, address }, place) => (
        <tr key={place}>
          <td data-label="Time">
            <Time at={at} />
          </td>
          <th scope="row">{action}</th>
          <td data-label="Status">{status}</td>
          <td data-label="Target">
            <code>{target}</code>
          </td>
          <td data-label="Token">{token_name ?? 'without a name'}</td>
          <td data-label="Address">{address ?? 'not recorded'}</td>
        </tr>
      )}
    />
  )
}

const KINDS: Record<CredentialFailure['kind'], string> = {
  password: 'password',
  app_secret: 'API key or secret',
  client_secret: 'OAuth 2.0 client id or secret',
  signature: 'OAuth 1.0a signature',
  operator_token: 'operator token',
}

export function FailuresPage() {
  return (
    <PagedList
      loaded={usePage<CredentialFailure>('audit/failures')}
      caption="Wrong credentials by hour, kind and address, newest first; kept for 30 days"
      columns={['Hour', 'Credential', 'Address', 'Count']}
      empty="No wrong credentials have come within 30 days."
      row={({ hour, kind, address, count }, place) => (
        <tr key={place}>
          <td data-label="Hour">
            <Time at={hour} />
          </td>
          <th scope="row">{KINDS[kind]}</th>
          <td data-label="Address">{address}</td>
          <td data-label="Count">{count}</td>
        </tr>
      )}
    />
  )
}
