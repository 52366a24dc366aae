// Writes the rows of an event into PostgreSQL: one prepared statement and one commit with fsync per batch.
import { Client } from 'pg'
import { contentOf } from '../../../server/src/delivery/envelope.ts'
import { migratePostgres } from '../../../server/test/stage/migrate-postgres.ts'
import { eventFor } from '../delivery/fixtures.ts'
import { stopwatchWithDatabase } from '../stopwatch.ts'
import type { Sample } from '../worker.ts'
import { readArgument, serve } from './serve.ts'

const { batch, url, databasePid } = readArgument<{ batch: number; url: string; databasePid: number }>()
await migratePostgres(url)
const client = new Client({ connectionString: url })
client.on('error', () => {})
await client.connect()

const event = eventFor(0)
const content = contentOf(event.payload, undefined)
const contents = Buffer.concat(Array.from({ length: batch }, () => content))
const text = `
  with entry as materialized (
    select sequence, substr($2::bytea, ((place - 1) * ${content.length} + 1)::int, ${content.length}) as content
    from unnest($1::bigint[]) with ordinality as e (sequence, place)
  ), event as (
    insert into log_event (sequence, event_type, user_id, targets, content)
    select sequence, '${event.event_type}', '${event.user_id}', '{"5000000": "match"}', content from entry
  ), delivery as (
    insert into log_delivery (webhook_id, sequence) select '5000000', sequence from entry
  )
  insert into log_attempt (sequence, webhook_id, origin, n, at_ms, latency_ms, outcome, error)
  select sequence, '5000000', '', 1, 0, 0, 'not_sent', 'webhook invalid' from entry`
let sequence = 0

async function sample({ ms }: { ms: number }): Promise<Sample> {
  const watch = await stopwatchWithDatabase(databasePid)
  const endsAtMs = performance.now() + ms
  let count = 0
  while (performance.now() < endsAtMs) {
    const sequences = Array.from({ length: batch }, () => ++sequence)
    await client.query({ name: 'write', text, values: [sequences, contents] })
    count += batch
  }
  return { count, ...(await watch()) }
}

serve(sample, () => client.end())
