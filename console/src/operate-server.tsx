import { Facts } from './parts/facts.tsx'
import { Loading, useData } from './parts/loaded.tsx'
import { useRegularly } from './parts/regularly.ts'
import { State } from './parts/state.tsx'
import { Table } from './parts/table.tsx'
import type { ServerProcess, StorageFacts } from './server-types.ts'
import { Time, writeDistance } from './time.tsx'
import { writeBytes } from './words.ts'

const READ_EVERY_MS = 10_000
const MOST_COUNTED = 100_000

const msOrNone = (ms: number | null) => (ms === null ? '–' : `${ms} ms`)

const timeOrNone = (at: string | null) => (at === null ? '–' : <Time at={at} to="second" short />)

export function ProcessesPage() {
  const loaded = useData<ServerProcess[]>('processes')
  useRegularly(loaded.reload, READ_EVERY_MS)
  return (
    <Loading of={loaded}>
      {(processes) => (
        <Table
          caption="Processes that share the database, by worker number. Each was asked how it does: a dash where it did not answer within a second. Lag is how long a message takes through PostgreSQL until it is seen, there and back for the others. One that is frozen has lost its deliveries to the others."
          columns={[
            'Worker',
            'State',
            'Version',
            'Roles',
            'Host',
            'Started',
            'Last heard of',
            'Lag',
            'Event loop delay',
            'In flight',
            'Waiting',
            'Session since',
          ]}
          items={processes}
          cells={({ worker, answers, frozen, version, started_at, session_since, session_used_at, ...now }) => [
            <>
              {worker}
              {answers && <span class="soft"> answers you</span>}
            </>,
            <State of={frozen ? 'frozen' : 'alive'} />,
            version ?? 'not known',
            now.roles?.join(', ') ?? 'not known',
            now.host === null ? '–' : `${now.host} ${now.pid}`,
            timeOrNone(started_at),
            session_used_at === null ? '–' : writeDistance(session_used_at),
            msOrNone(now.feed_lag_ms),
            msOrNone(now.event_loop_delay_ms),
            now.in_flight ?? '–',
            now.waiting ?? '–',
            timeOrNone(session_since),
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
  const loaded = useData<StorageFacts>('storage')
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
