import { recordTypes } from '../../src/endpoints/index.ts'
import { createClock } from '../../src/lib/clock.ts'
import { migrateDatabase } from '../../src/storage/sql/migrate-database.ts'
import { openEngine } from '../../src/storage/sql/open-storage.ts'

/** Makes all tables, as a server does at its first start, and writes nothing else: no sealing proof, no row of a process. */
export async function migrate(url: string): Promise<void> {
  const engine = await openEngine({ url, clock: createClock() })
  await migrateDatabase(engine.maintenance, engine.flavour, { recordTypes }).finally(() => engine.close())
}
