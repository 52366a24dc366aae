// Pages of deliveries of a log with a million events beside one with a thousand.
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { after, before, suite, test } from 'node:test'
import { createClock } from '../../src/lib/clock.ts'
import { sequenceAt } from '../../src/lib/ids.ts'
import type { DeliveryQuery, EventLog } from '../../src/storage/event-log.ts'
import { type Flavour, migratedDatabase } from '../stage/database.ts'
import { databasesOf } from '../stage/databases.ts'
import { MINUTE_MS, openLog } from './event-log-stage.ts'
import { rawRows } from './samples.ts'

const FEW = 1000
const MANY = 1_000_000
const clock = createClock()

/** The statements that fill a log: `n` is the place of an event, each goes to one of 100 webhooks, all are delivered. */
const fill = {
  sqlite: (count: number, sequence: string, webhook: string) => {
    const from = `from (with recursive s(n) as (select 0 union all select n + 1 from s where n + 1 < ${count}) select n from s)`
    return [
      `insert into event (sequence, event_type, user_id, content) select ${sequence}, 'post.create', '101', zeroblob(200) ${from}`,
      `insert into target select ${sequence}, cast(${webhook} as text), '' ${from}`,
      `insert into attempt select ${sequence}, cast(${webhook} as text), '', 1, 0, 3.5, 200, 'delivered', '', 'ok', '' ${from}`,
      'insert into delivery select webhook_id, sequence from target order by 1, 2',
      "update mark set sequence = (select max(sequence) from event) where name in ('indexed', 'watermark')",
    ]
  },
  postgres: (count: number, sequence: string, webhook: string) => {
    const from = `from generate_series(0::bigint, ${count - 1}) n`
    return [
      `insert into log_event (sequence, event_type, user_id, content, targets)
        select ${sequence}, 'post.create', '101', decode(repeat('00', 200), 'hex'), jsonb_build_object((${webhook})::text, '') ${from}`,
      `insert into log_delivery (webhook_id, sequence) select (${webhook})::text, ${sequence} ${from} order by 1, 2`,
      `insert into log_attempt (sequence, webhook_id, origin, n, at_ms, latency_ms, status, outcome, error, response)
        select ${sequence}, (${webhook})::text, '', 1, 0, 3.5, 200, 'delivered', '', 'ok' ${from}`,
      'analyze',
    ]
  },
}

/** A log with so many events of the last hour, and what an event adds to the sequence number of the one before. */
async function filledLog(flavour: Flavour, count: number) {
  const database = await migratedDatabase(flavour)
  await (await openLog(flavour, database.url, { clock })).log.close()
  const first = sequenceAt(clock.now() - 60 * MINUTE_MS)
  const step = Math.floor((sequenceAt(clock.now()) - first) / count)
  const statements = fill[flavour](count, `${first} + n * ${step}`, '1000 + n % 100')
  if (flavour === 'postgres') for (const statement of statements) await rawRows(database.url, statement)
  else {
    using file = new DatabaseSync(`${database.url.slice('sqlite:'.length)}.events`)
    file.exec(`begin; ${statements.join('; ')}; commit`)
  }
  const { log } = await openLog(flavour, database.url, { clock })
  const dispose = async () => {
    await log.close()
    await database[Symbol.asyncDispose]()
  }
  return { log, sequenceOf: (n: number) => first + n * step, dispose }
}

async function elapsed(run: () => Promise<unknown>) {
  const startedMs = performance.now()
  await run()
  return performance.now() - startedMs
}

const ROUNDS = 41
const median = (times: number[]) => times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)]!

/** How long the same page takes in the long log, as a multiple of the short one: in turns, so that the machine slows both. */
async function ratioOf(few: EventLog, many: EventLog, query: DeliveryQuery) {
  const times: [few: number, many: number][] = []
  for (let round = 0; round < ROUNDS; round++)
    times.push([await elapsed(() => few.reportPage(query)), await elapsed(() => many.reportPage(query))])
  return median(times.map(([, long]) => long)) / median(times.map(([short]) => short))
}

for (const flavour of databasesOf(import.meta))
  suite(flavour, () => {
    let few: Awaited<ReturnType<typeof filledLog>>
    let many: Awaited<ReturnType<typeof filledLog>>
    before(async () => {
      few = await filledLog(flavour, FEW)
      many = await filledLog(flavour, MANY)
    })
    after(async () => {
      await few.dispose()
      await many.dispose()
    })

    const pages: [what: string, query: DeliveryQuery][] = [
      ['the first page', { limit: 100 }],
      ['the first page of a webhook', { limit: 10, webhookId: '1007' }],
      ['the first page of what was delivered', { limit: 100, state: 'delivered' }],
    ]
    for (const [what, query] of pages)
      test(`${what} takes less than 1.5 times as long with ${MANY} deliveries as with ${FEW}`, async (context) => {
        const ratio = await ratioOf(few.log, many.log, query)
        context.diagnostic(`ratio ${ratio.toFixed(2)}`)
        assert.ok(ratio < 1.5, `${ratio}`)
      })

    for (const state of ['given_up', 'not_sent', 'retrying', 'pending'] as const)
      test(`a page of ${state}, which no delivery is, looks at the 10,000 newest events and says where it stopped`, async (context) => {
        context.diagnostic(`${Math.round(await elapsed(() => many.log.reportPage({ limit: 100, state })))} ms`)
        assert.deepEqual(await many.log.reportPage({ limit: 100, state }), { reports: [], next: many.sequenceOf(MANY - 10_000) })
        assert.deepEqual(await few.log.reportPage({ limit: 100, state }), { reports: [], next: null })
      })
  })
