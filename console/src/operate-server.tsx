import { get } from './api.ts'
import { useRegularly } from './parts/effects.ts'
import { Facts } from './parts/facts.tsx'
import { Loading, useLoaded } from './parts/loaded.tsx'
import { State } from './parts/state.tsx'
import { Table } from './parts/table.tsx'
import type { ServerProcess, StorageFacts } from './server-types.ts'
import { Time, writeDistance } from './time.tsx'
import { writeBytes } from './words.ts'

const READ_EVERY_MS = 10_000
const MOST_COUNTED = 100_000

const timeOrNone = (at: string | null) => (at === null ? '–' : <Time at={at} />)

export function ProcessesPage() {
  const loaded = useLoaded('processes', async () => (await get<{ data: ServerProcess[] }>('processes')).body.data)
  useRegularly(loaded.reload, READ_EVERY_MS)
  return (
    <Loading of={loaded}>
      {(processes) => (
        <Table
          caption="Processes that share the database, by worker number. Each uses its session with PostgreSQL as it works: an idle one uses it seldom. One that is frozen has lost its deliveries to the others."
          columns={['Worker', 'State', 'Version', 'Started', 'Session since', 'Session used']}
          items={processes}
          cells={({ worker, answers, frozen, version, started_at, session_since, session_used_at }) => [
            <>
              {worker}
              {answers && <span class="soft"> answers you</span>}
            </>,
            <State of={frozen ? 'frozen' : 'alive'} />,
            version ?? 'not known',
            timeOrNone(started_at),
            timeOrNone(session_since),
            timeOrNone(session_used_at),
          ]}
        />
      )}
    </Loading>
  )
}

const Totals = ({ storage: { database, total_bytes, wal_bytes, disk, events, oldest_event_at } }: { storage: StorageFacts }) => (
  <Facts
    of={[
      ['Database', database],
      ['It takes', writeBytes(total_bytes)],
      ['Write-ahead log', wal_bytes === null ? 'not known: this user of PostgreSQL may not ask' : writeBytes(wal_bytes)],
      [
        'Disk',
        disk === null
          ? 'not known: ask the machine of the database'
          : `${writeBytes(disk.free_bytes)} free of ${writeBytes(disk.total_bytes)}`,
      ],
      ['Events', events >= MOST_COUNTED ? `${MOST_COUNTED} or more` : events],
      [
        'Oldest event',
        oldest_event_at === null ? (
          'none'
        ) : (
          <>
            <Time at={oldest_event_at} />, {writeDistance(oldest_event_at)}
          </>
        ),
      ],
    ]}
  />
)

export function StoragePage() {
  const loaded = useLoaded('storage', async () => (await get<{ data: StorageFacts }>('storage')).body.data)
  useRegularly(loaded.reload, READ_EVERY_MS)
  return (
    <Loading of={loaded}>
      {(storage) => (
        <>
          <Totals storage={storage} />
          <Table
            caption="Files of the database, or its largest tables with their indexes"
            columns={['Name', 'Size']}
            items={storage.parts}
            cells={({ name, bytes }) => [<code>{name}</code>, writeBytes(bytes)]}
          />
        </>
      )}
    </Loading>
  )
}
