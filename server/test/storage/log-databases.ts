import { Client } from 'pg'
import { type Flavour, migratedDatabase, type TestDatabase } from '../stage/database.ts'

/** Those of PostgreSQL that no test uses at the moment. */
const waiting: TestDatabase[] = []
process.on('beforeExit', async () => {
  for (const database of waiting.splice(0)) await database[Symbol.asyncDispose]()
})

/** What an event log writes is deleted, and who is still connected is sent away, as a drop of the database would. */
const EMPTY = `set lock_timeout = '1s';
  select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid();
  truncate log_event, log_delivery, log_open, log_attempt, log_stream, log_owner restart identity`

async function empty(url: string) {
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query(EMPTY).finally(() => client.end())
}

/**
 * A migrated database for a test that writes to its event log alone. That of PostgreSQL is one that another test is done with, emptied, which
 * takes a fraction of making one.
 */
export async function logDatabase(flavour: Flavour): Promise<TestDatabase> {
  if (flavour === 'sqlite') return migratedDatabase(flavour)
  const database = waiting.pop() ?? (await migratedDatabase(flavour))
  return {
    url: database.url,
    async [Symbol.asyncDispose]() {
      const isEmpty = await empty(database.url).then(
        () => true,
        () => false,
      )
      if (isEmpty) waiting.push(database)
      else await database[Symbol.asyncDispose]()
    },
  }
}
