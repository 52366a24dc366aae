import type { ComponentChildren } from 'preact'
import { get } from './api.ts'
import { ColumnHeads } from './list-screens.tsx'
import { useRegularly } from './regularly.ts'
import type { ServerProcess, StorageFacts } from './server-types.ts'
import { Time, writeDistance } from './time.tsx'
import { Failure, State, useLoaded } from './ui.tsx'

const READ_EVERY_MS = 10_000

const COLUMNS = ['Worker', 'State', 'Version', 'Started', 'Session since', 'Session used']

const OptionalTime = ({ at }: { at: string | null }) => (at === null ? <>–</> : <Time at={at} />)

const ProcessRow = ({ process }: { process: ServerProcess }) => (
  <tr>
    <th scope="row">
      {process.worker}
      {process.answers && <span class="soft"> answers you</span>}
    </th>
    <td data-label="State">
      <State of={process.frozen ? 'frozen' : 'alive'} />
    </td>
    <td data-label="Version">{process.version ?? 'not known'}</td>
    <td data-label="Started">
      <OptionalTime at={process.started_at} />
    </td>
    <td data-label="Session since">
      <OptionalTime at={process.session_since} />
    </td>
    <td data-label="Session used">{process.session_used_at === null ? '–' : <Time at={process.session_used_at} />}</td>
  </tr>
)

export function ProcessesPage() {
  const loaded = useLoaded('processes', async () => (await get<{ data: ServerProcess[] }>('processes')).body.data)
  useRegularly(loaded.reload, READ_EVERY_MS)
  const { value: processes, error, reload } = loaded
  return (
    <>
      {error && <Failure error={error} retry={reload} />}
      {!processes && !error && <p class="soft">Reading…</p>}
      {processes && (
        <table>
          <caption>
            Processes that share the database, by worker number. Each uses its session with PostgreSQL as it works: an idle one uses it
            seldom. One that is frozen has lost its deliveries to the others.
          </caption>
          <ColumnHeads names={COLUMNS} />
          <tbody>
            {processes.map((process) => (
              <ProcessRow key={process.worker} process={process} />
            ))}
          </tbody>
        </table>
      )}
    </>
  )
}

const UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB']
const STEP = 1024
const MOST_COUNTED = 100_000

/** `1.4 MB`. */
function writeBytes(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log(bytes || 1) / Math.log(STEP))))
  const value = bytes / STEP ** power
  return `${power === 0 ? value : value.toFixed(1)} ${UNITS[power]}`
}

const Fact = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)

function Facts({ storage: { database, total_bytes, wal_bytes, disk, events, oldest_event_at } }: { storage: StorageFacts }) {
  return (
    <dl class="facts">
      <Fact name="Database">{database}</Fact>
      <Fact name="It takes">{writeBytes(total_bytes)}</Fact>
      <Fact name="Write-ahead log">{wal_bytes === null ? 'not known: this user of PostgreSQL may not ask' : writeBytes(wal_bytes)}</Fact>
      <Fact name="Disk">
        {disk === null
          ? 'not known: ask the machine of the database'
          : `${writeBytes(disk.free_bytes)} free of ${writeBytes(disk.total_bytes)}`}
      </Fact>
      <Fact name="Events">{events >= MOST_COUNTED ? `${MOST_COUNTED} or more` : events}</Fact>
      <Fact name="Oldest event">
        {oldest_event_at === null ? (
          'none'
        ) : (
          <>
            <Time at={oldest_event_at} />, {writeDistance(oldest_event_at)}
          </>
        )}
      </Fact>
    </dl>
  )
}

export function StoragePage() {
  const loaded = useLoaded('storage', async () => (await get<{ data: StorageFacts }>('storage')).body.data)
  useRegularly(loaded.reload, READ_EVERY_MS)
  const { value: storage, error, reload } = loaded
  return (
    <>
      {error && <Failure error={error} retry={reload} />}
      {!storage && !error && <p class="soft">Reading…</p>}
      {storage && <Facts storage={storage} />}
      {storage && storage.parts.length > 0 && (
        <table>
          <caption>Files of the database, or its largest tables with their indexes</caption>
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Size</th>
            </tr>
          </thead>
          <tbody>
            {storage.parts.map(({ name, bytes }) => (
              <tr key={name}>
                <th scope="row">
                  <code>{name}</code>
                </th>
                <td data-label="Size">{writeBytes(bytes)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  )
}
