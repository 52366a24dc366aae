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
/** How many times as long a page of the long log may take. */
const MOST = 1.5
const clock = createClock()

const WEBHOOKS = 50
/** How many deliveries are in each state but `delivered`, in either log. */
const RARE = 10

/** The state of delivery `n` as a number: rare ones are spread over the log, and what was never tried is the newest of one webhook. */
const stateOf = (count: number) => `case when n >= ${count - RARE * WEBHOOKS} and n % ${WEBHOOKS} = 4 then 4
  when n % ${count / RARE} between 1 and 3 then n % ${count / RARE} else 0 end`
const outcome = `case state when 0 then 'delivered' when 2 then 'not_sent' else 'failed' end`

/** The statements that fill a log: `n` is the place of an event, each goes to one of 50 webhooks, nearly all are delivered. */
const fill = {
  sqlite: (count: number, sequence: string, webhook: string) => {
    const from = `from (select n, ${sequence} as sequence, cast(${webhook} as text) as webhook, ${stateOf(count)} as state
      from (with recursive s(n) as (select 0 union all select n + 1 from s where n + 1 < ${count}) select n from s))`
    return [
      `insert into event (sequence, event_type, user_id, content) select sequence, 'post.create', '101', zeroblob(200) ${from}`,
      `insert into target select sequence, webhook, '' ${from}`,
      `insert into attempt select sequence, webhook, '', 1, 0, 3.5, 200, ${outcome}, '', 'ok', '' ${from} where state < 4`,
      `insert into retry select webhook, sequence, 4102444800000, 1 ${from} where state = 3`,
      `insert into waiting select webhook, min(sequence) - 1 ${from} where state = 4 group by 1`,
      'insert into delivery select webhook_id, sequence from target order by 1, 2',
      "update mark set sequence = (select max(sequence) from event) where name in ('indexed', 'watermark')",
    ]
  },
  postgres: (count: number, sequence: string, webhook: string) => {
    const from = `from (select n, ${sequence} as sequence, (${webhook})::text as webhook, ${stateOf(count)} as state
      from generate_series(0::bigint, ${count - 1}) n) filled`
    return [
      `insert into log_event (sequence, event_type, user_id, content, targets)
        select sequence, 'post.create', '101', decode(repeat('00', 200), 'hex'), jsonb_build_object(webhook, '') ${from}`,
      `insert into log_delivery (webhook_id, sequence) select webhook, sequence ${from} order by 1, 2`,
      `insert into log_attempt (sequence, webhook_id, origin, n, at_ms, latency_ms, status, outcome, error, response)
        select sequence, webhook, '', 1, 0, 3.5, 200, ${outcome}, '', 'ok' ${from} where state < 4`,
      `insert into log_open (sequence, webhook_id, due_ms, attempts)
        select sequence, webhook, case state when 3 then 4102444800000 end, 1 ${from} where state > 2`,
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
  const statements = fill[flavour](count, `${first} + n * ${step}`, `1000 + n % ${WEBHOOKS}`)
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
/** A first time may have been disturbed by what else the machine does. */
const TRIES = 3
const median = (times: number[]) => times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)]!

/** How long the same page takes in the long log, as a multiple of the short one: in turns, so that the machine slows both. */
async function ratioOnce(few: EventLog, many: EventLog, query: DeliveryQuery) {
  const times: [few: number, many: number][] = []
  for (let round = 0; round < ROUNDS; round++)
    times.push([await elapsed(() => few.reportPage(query)), await elapsed(() => many.reportPage(query))])
  return median(times.map(([, long]) => long)) / median(times.map(([short]) => short))
}

async function ratioOf(few: EventLog, many: EventLog, query: DeliveryQuery) {
  let ratio = await ratioOnce(few, many, query)
  for (let tries = 1; ratio >= MOST && tries < TRIES; tries++) ratio = await ratioOnce(few, many, query)
  return ratio
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
      test(`${what} takes less than ${MOST} times as long with ${MANY} deliveries as with ${FEW}`, async (context) => {
        const ratio = await ratioOf(few.log, many.log, query)
        context.diagnostic(`ratio ${ratio.toFixed(2)}`)
        assert.ok(ratio < MOST, `${ratio}`)
      })

    for (const state of ['given_up', 'not_sent', 'retrying', 'pending'] as const)
      test(`the page of what is ${state}, which few deliveries are, takes less than ${MOST} times as long with ${MANY} as with ${FEW}`, async (context) => {
        const query = { limit: 100, state }
        for (const { log } of [few, many]) {
          const { reports, next } = await log.reportPage(query)
          assert.deepEqual([reports.length, new Set(reports.map((report) => report.state)), next], [RARE, new Set([state]), null])
        }
        const ratio = await ratioOf(few.log, many.log, query)
        context.diagnostic(`ratio ${ratio.toFixed(2)}, ${(await elapsed(() => many.log.reportPage(query))).toFixed(1)} ms`)
        assert.ok(ratio < MOST, `${ratio}`)
      })

    test('a page of a state that no delivery of a webhook is in looks at its 10,000 newest events and says where it stopped', async () => {
      const query = { limit: 100, webhookId: '1007', state: 'pending' } as const
      assert.deepEqual(await many.log.reportPage(query), { reports: [], next: many.sequenceOf(MANY / 2 + 7) })
      assert.deepEqual(await few.log.reportPage(query), { reports: [], next: null })
    })
  })
