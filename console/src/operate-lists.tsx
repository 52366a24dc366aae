import type { ComponentChildren } from 'preact'
import { Empty } from './parts/empty.tsx'
import { Loading } from './parts/loaded.tsx'
import { Pager, usePage } from './parts/pager.tsx'
import { Table } from './parts/table.tsx'
import type { AuditEntry, CredentialFailure } from './server-types.ts'
import { Time } from './time.tsx'

interface PagedTableProps<Item> {
  path: string
  caption: string
  columns: readonly string[]
  empty: string
  cells(item: Item): ComponentChildren[]
}

function PagedTable<Item>({ path, empty, ...table }: PagedTableProps<Item>) {
  const loaded = usePage<Item>(path, { max_results: '100' })
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

export const AuditPage = () => (
  <PagedTable<AuditEntry>
    path="audit"
    caption="Operator calls that may change something, newest first; the newest 100,000 are kept"
    columns={['Time', 'Action', 'Status', 'Target', 'Token', 'Address']}
    empty="No operator call has changed anything yet. Calls that only read, and those that publish events, are not in this log."
    cells={({ at, action, status, target, token_name, address }) => [
      <Time at={at} />,
      action,
      status,
      <code>{target}</code>,
      token_name ?? 'without a name',
      address ?? 'not recorded',
    ]}
  />
)

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
    cells={({ hour, kind, address, count }) => [<Time at={hour} />, KINDS[kind], address, count]}
  />
)
