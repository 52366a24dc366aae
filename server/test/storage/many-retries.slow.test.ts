// Looks for due retries while a webhook with very many of them is skipped.
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { createClock } from '../../src/lib/clock.ts'
import type { EventLog } from '../../src/storage/event-log.ts'
import { type Flavour, migratedDatabase } from '../stage/database.ts'
import { databasesOf } from '../stage/databases.ts'
import { openLog } from './event-log-stage.ts'
import { rawRows } from './samples.ts'

const FEW = 1_000
const MANY = 200_000
/** How many times as long a look may take with many. */
const MOST = 2
const clock = createClock()

/** That of the webhook that is not skipped. */
const LATER_MS = 4_102_444_800_000

const fill = {
  sqlite: (count: number) => [
    `insert into retry with recursive s(n) as (select 1 union all select n + 1 from s where n < ${count}) select '1', n, n, 1 from s`,
    `insert into retry values ('2', 1, ${LATER_MS}, 1)`,
  ],
  postgres: (count: number) => [
    `insert into log_open (sequence, webhook_id, due_ms, attempts) select n, '1', n, 1 from generate_series(1, ${count}) n`,
    `insert into log_open (sequence, webhook_id, due_ms, attempts) values (1, '2', ${LATER_MS}, 1)`,
    'analyze',
  ],
}

/** A log where one webhook has so many due retries, and another has one that is not due. */
async function filledLog(flavour: Flavour, count: number) {
  const database = await migratedDatabase(flavour)
  await (await openLog(flavour, database.url, { clock })).log.close()
  const statements = fill[flavour](count)
  if (flavour === 'postgres') for (const statement of statements) await rawRows(database.url, statement)
  else {
    using file = new DatabaseSync(`${database.url.slice('sqlite:'.length)}.events`)
    file.exec(`begin; ${statements.join('; ')}; commit`)
  }
  const { log } = await openLog(flavour, database.url, { clock })
  return {
    log,
    async [Symbol.asyncDispose]() {
      await log.close()
      await database[Symbol.asyncDispose]()
    },
  }
}

async function lookedMs(log: EventLog) {
  const startedMs = performance.now()
  assert.deepEqual(await log.takeDue(clock.now(), 256, ['1']), [])
  assert.equal(await log.nextDueMs(['1']), LATER_MS)
  return performance.now() - startedMs
}

const ROUNDS = 41
/** A first time may have been disturbed by what else the machine does. */
const TRIES = 3
const median = (times: number[]) => times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)]!

/** The medians of looks that take turns, so that the machine slows both. */
async function compared(few: EventLog, many: EventLog) {
  const times: [few: number, many: number][] = []
  for (let round = 0; round < ROUNDS; round++) times.push([await lookedMs(few), await lookedMs(many)])
  return { fewMs: median(times.map(([short]) => short)), manyMs: median(times.map(([, long]) => long)) }
}

for (const flavour of databasesOf(import.meta))
  test(`${flavour}: a look takes less than ${MOST} times as long beside ${MANY} retries of a skipped webhook as beside ${FEW}`, async (context) => {
    await using few = await filledLog(flavour, FEW)
    await using many = await filledLog(flavour, MANY)
    let ratio = Number.POSITIVE_INFINITY
    for (let tries = 0; ratio >= MOST && tries < TRIES; tries++) {
      const { fewMs, manyMs } = await compared(few.log, many.log)
      ratio = manyMs / fewMs
      context.diagnostic(`${fewMs.toFixed(1)} and ${manyMs.toFixed(1)} ms`)
    }
    assert.ok(ratio < MOST, `${ratio}`)
  })
