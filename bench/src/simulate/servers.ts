import { type PostgresServer, startPostgres } from '../../../server/test/stage/postgres-server.ts'
import { rawRows } from '../../../server/test/storage/samples.ts'
import { databaseCpuMicros } from '../process-status.ts'

/** A PostgreSQL of its own for the state, and one for each log, so that the work of each is known. */
export interface Server {
  url: string
  /** Since it was made. */
  cpuMicros(): Promise<number>
  /** The size of its database. */
  bytes(): Promise<number>
  /** WAL that was written since it was made. */
  walBytes(): Promise<number>
  /** Ends it at once. It recovers from its WAL when it is launched. */
  halt(): Promise<void>
  launch(): Promise<void>
  stop(): Promise<void>
}

/** The clock stands still while a commit waits for the disk, so that it would only take longer. No power is cut. */
const SETTINGS = ['fsync=off', 'shared_buffers=256MB', 'max_wal_size=1GB']

const asNumber = async (url: string, expression: string) => Number((await rawRows(url, `select ${expression} as n`))[0]!.n)

function withFigures(server: PostgresServer): Server {
  /** CPU of the processes that were killed. */
  let before = 0
  return {
    url: server.url,
    cpuMicros: async () => before + (await databaseCpuMicros(server.pid)),
    bytes: () => asNumber(server.url, 'pg_database_size(current_database())'),
    walBytes: () => asNumber(server.url, "pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')"),
    async halt() {
      before += await databaseCpuMicros(server.pid)
      await server.halt('SIGQUIT')
    },
    launch: () => server.launch(),
    stop: () => server.stop(),
  }
}

export async function startServers(count: number): Promise<Server[]> {
  const servers: Server[] = []
  for (let started = 0; started < count; started += 1) servers.push(withFigures(await startPostgres({ settings: SETTINGS })))
  return servers
}
