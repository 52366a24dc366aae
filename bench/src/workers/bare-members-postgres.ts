// Inserts identifiers into the table of memberships in PostgreSQL: one prepared statement and one commit with fsync per batch, sorted.
import { randomBytes } from 'node:crypto'
import { Client } from 'pg'
import { migratePostgres } from '../../../server/test/stage/migrate-postgres.ts'
import { stopwatchWithDatabase } from '../stopwatch.ts'
import type { Sample } from '../worker.ts'
import { readArgument, serve } from './serve.ts'

const { batch, url, databasePid } = readArgument<{ batch: number; url: string; databasePid: number }>()
await migratePostgres(url)
const client = new Client({ connectionString: url })
client.on('error', () => {})
await client.connect()

const text = `insert into audience_members (audience, identifier, effective, expires, size)
  select 1, substring($1::bytea from place * 33 + 1 for 33), 1770000000, 1800000000, 1 from generate_series(0, $2::int - 1) as place`

const identifiers = () => Buffer.concat(Array.from({ length: batch }, () => randomBytes(33)).sort(Buffer.compare))

async function sample({ ms }: { ms: number }): Promise<Sample> {
  const watch = await stopwatchWithDatabase(databasePid)
  const endsAtMs = performance.now() + ms
  let count = 0
  while (performance.now() < endsAtMs) {
    await client.query({ name: 'write', text, values: [identifiers(), batch] })
    count += batch
  }
  return { count, ...(await watch()) }
}

serve(sample, () => client.end())
