// Inserts identifiers into the table of memberships in SQLite with a prepared statement: one commit with fsync per batch, sorted.
import { randomBytes } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { openSchema } from '../../../server/src/storage/sql/memberships/sqlite/schema.ts'
import { stopwatch } from '../stopwatch.ts'
import type { Sample } from '../worker.ts'
import { readArgument, serve } from './serve.ts'

const { batch, url } = readArgument<{ batch: number; url: string }>()
const db = new DatabaseSync(`${url.slice('sqlite:'.length)}.bare`)
await openSchema(db)
const insert = db.prepare('insert into member (audience, identifier, effective, expires, size) values (1, ?, 1770000000, 1800000000, 1)')

const identifiers = () => Array.from({ length: batch }, () => randomBytes(33)).sort(Buffer.compare)

async function sample({ ms }: { ms: number }): Promise<Sample> {
  const watch = stopwatch()
  const endsAtMs = performance.now() + ms
  let count = 0
  while (performance.now() < endsAtMs) {
    db.exec('begin immediate')
    for (const identifier of identifiers()) insert.run(identifier)
    db.exec('commit')
    count += batch
  }
  return { count, ...watch() }
}

serve(sample, () => db.close())
