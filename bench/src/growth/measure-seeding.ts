import type { Run } from '../benchmark.ts'
import type { Database, Engine } from '../databases.ts'
import { startPostern } from '../postern-process.ts'
import { cpuMicrosWithDatabase } from '../process-status.ts'

export interface Seeding {
  count: number
  ms: number
  cpuMicrosPerWebhook: number
}

/** Nothing is sent while webhooks are loaded, so nobody has to listen. */
const PORT = 9

/** Loads a seed of so many webhooks of one app, each with a subscription, into a fresh Postern. */
export async function measureSeeding(engine: Engine, count: number, { databases }: Run): Promise<Seeding> {
  await using database: Database = await databases.open(engine)
  await using postern = await startPostern({ database })
  const cpuMicros = () => cpuMicrosWithDatabase(postern.pid, database.databasePid)
  const beforeMicros = await cpuMicros()
  const startedMs = performance.now()
  await postern.seed({ count, port: PORT })
  const ms = performance.now() - startedMs
  return { count, ms, cpuMicrosPerWebhook: ((await cpuMicros()) - beforeMicros) / count }
}
