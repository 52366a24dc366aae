import type { ComponentChildren } from 'preact'
import { Empty } from './parts/empty.tsx'
import { Loading } from './parts/loaded.tsx'
import { Pager, usePage } from './parts/pager.tsx'
import { Table } from './parts/table.tsx'
import type { CredentialFailure } from './server-types.ts'
import { Time } from './time.tsx'

interface PagedTableProps<Item> {
  path: string
  /** Filters of the list. */
  filters?: Partial<Record<string, string>>
  caption: string
  columns: readonly string[]
  empty: string
  cells(item: Item): ComponentChildren[]
}

/** A list that pages, newest first. */
export function PagedTable<Item>({ path, filters, empty, ...table }: PagedTableProps<Item>) {
  const loaded = usePage<Item>(path, { max_results: '100', ...filters })
  return (
    <Loading of={loaded}>
      {({ data }) => (
        <>
          <Table {...table} head={1} items={data} empty={<Empty>{empty}</Empty>} />
          <Pager of={loaded} />
        </>
      )}
    </Loading>
  )
}

const KINDS: Record<CredentialFailure['kind'], string> = {
  password: 'password',
  app_secret: 'API key or secret',
  client_secret: 'OAuth 2.0 client id or secret',
  signature: 'OAuth 1.0a signature',
  operator_token: 'operator token',
}

export const FailuresPage = () => (
  <PagedTable<CredentialFailure>
    path="audit/failures"
    caption="Wrong credentials by hour, kind and address, newest first; kept for 30 days"
    columns={['Hour', 'Credential', 'Address', 'Count']}
    empty="No wrong credentials have come within 30 days."
    cells={({ hour, kind, address, count }) => [<Time at={hour} to="second" short />, KINDS[kind], address, count]}
  />
)
