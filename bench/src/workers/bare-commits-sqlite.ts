// Writes the rows of an event into SQLite with prepared statements: one commit with fsync per batch.
import { DatabaseSync } from 'node:sqlite'
import { contentOf } from '../../../server/src/delivery/envelope.ts'
import { openSchema } from '../../../server/src/storage/log/sqlite/schema.ts'
import { eventFor } from '../delivery/fixtures.ts'
import { stopwatch } from '../stopwatch.ts'
import type { Sample } from '../worker.ts'
import { readArgument, serve } from './serve.ts'

const { batch, url } = readArgument<{ batch: number; url: string }>()
const db = new DatabaseSync(url.slice('sqlite:'.length))
await openSchema(db)
const event = eventFor(0)
const content = contentOf(event.payload, undefined)
const insertEvent = db.prepare('insert into event (sequence, event_type, user_id, content) values (?, ?, ?, ?)')
const insertTarget = db.prepare('insert into target (sequence, webhook_id, match) values (?, ?, ?)')
const insertAttempt = db.prepare(`insert into attempt (sequence, webhook_id, origin, n, at_ms, latency_ms, outcome, error)
  values (?, ?, '', 1, 0, 0, 'not_sent', 'webhook invalid')`)
let sequence = 0

function write() {
  sequence += 1
  insertEvent.run(sequence, event.event_type, event.user_id, content)
  insertTarget.run(sequence, '5000000', `"filter":{"user_id":"${event.user_id}"}`)
  insertAttempt.run(sequence, '5000000')
}

async function sample({ ms }: { ms: number }): Promise<Sample> {
  const watch = stopwatch()
  const endsAtMs = performance.now() + ms
  let count = 0
  while (performance.now() < endsAtMs) {
    db.exec('begin immediate')
    for (let place = 0; place < batch; place += 1) write()
    db.exec('commit')
    count += batch
  }
  return { count, ...watch() }
}

serve(sample, () => db.close())
