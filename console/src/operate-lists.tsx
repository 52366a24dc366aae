import type { ComponentChildren } from 'preact'
import { get } from './api.ts'
import { ColumnHeads } from './list-screens.tsx'
import { place, setQuery } from './router.tsx'
import type { CredentialFailure } from './server-types.ts'
import { Time } from './time.tsx'
import { Failure, type Loaded, useLoaded } from './ui.tsx'

interface ListPage<Item> {
  data: Item[]
  meta: { next_before?: number }
}

const PAGE = 100

/** A page of a list, newest first; which one and the filters of these names are in the address. */
export function usePage<Item>(path: string, filters: readonly string[] = []): Loaded<ListPage<Item>> {
  const query = new URLSearchParams({ max_results: String(PAGE) })
  for (const name of ['before', ...filters]) {
    const value = place.value.query.get(name)
    if (value !== null) query.set(name, value)
  }
  return useLoaded(`${path} ${query}`, async () => (await get<ListPage<Item>>(`${path}?${query}`)).body)
}

interface PagedListProps<Item> {
  loaded: Loaded<ListPage<Item>>
  caption: string
  columns: readonly string[]
  empty: string
  row(item: Item, place: number): ComponentChildren
}

export function PagedList<Item>({ loaded: { value, error, reload }, caption, columns, empty, row }: PagedListProps<Item>) {
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
