import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatMinute } from '../../src/endpoints/webhooks/start-replay.ts'
import { sequenceOf } from '../../src/lib/ids.ts'
import { seedConsent } from '../stage/consent.ts'
import { type Flavour, migratedDatabase } from '../stage/database.ts'
import { databasesOf } from '../stage/databases.ts'
import { demoApp, type Stage, setStage } from '../stage/postern.ts'
import { answerWith, startReceiver, type TestReceiver } from '../stage/receiver.ts'
import { rawRows } from '../storage/samples.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** More than are taken from the log at once. */
const ORPHANS = 300
const LARGEST = '9223372036854775807'
/** Lines of level `error` that all the damage together may cost, however long it stands. */
const MOST_ERRORS = 40

/** An app that the seed does not name. */
const thirdApp = { id: '3', name: 'Third', consumer_key: 'key-three', consumer_secret: 'secret-three' }

/** Where damage is done: the sequence numbers of events of a webhook, all of them due again. */
interface Place {
  webhookId: string
  sequences: number[]
}

/** The event log, as nobody but a hand with SQL would leave it. The events at places 0 to 3 cannot be sent as they were. */
const logDamage: Record<Flavour, (place: Place) => string[]> = {
  sqlite: ({ webhookId, sequences: [content, match, type, target, attempts, attempted] }) => [
    `update event set content = x'00ff' where sequence = ${content}`,
    `update target set match = '}{' where sequence = ${match}`,
    `update event set event_type = 'no"such' where sequence = ${type}`,
    `delete from target where sequence = ${target}`,
    `update retry set attempts = ${LARGEST} where sequence = ${attempts}`,
    `insert into attempt values (${attempted}, '${webhookId}', '', ${LARGEST}, -1, 1e300, 99999, 'nonsense', '', '', 'x,,y')`,
    `with recursive n (n) as (select 1 union all select n + 1 from n where n < ${ORPHANS})
      insert into retry (webhook_id, sequence, due_ms, attempts) select '${webhookId}', n, 0, 1 from n`,
    `insert into retry values ('${webhookId}', 999, ${LARGEST}, 1)`,
    `insert into waiting values ('999999', 0)`,
  ],
  postgres: ({ webhookId, sequences: [content, match, type, target, attempts, attempted] }) => [
    `update log_event set content = '\\x00ff' where sequence = ${content}`,
    `update log_event set targets = jsonb_build_object('${webhookId}', '}{') where sequence = ${match}`,
    `update log_event set event_type = 'no"such' where sequence = ${type}`,
    `update log_event set targets = '5' where sequence = ${target}`,
    `update log_open set attempts = 2147483647 where sequence = ${attempts}`,
    `insert into log_attempt values (${attempted}, '${webhookId}', '', 2147483647, -1, 1e300, 99999, 'nonsense', '', '', 'x,,y')`,
    `insert into log_open (webhook_id, sequence, due_ms, attempts) select '${webhookId}', n, 0, 1 from generate_series(1, ${ORPHANS}) as n`,
    `insert into log_open (webhook_id, sequence) select '${webhookId}', n from generate_series(1001, 1000 + ${ORPHANS}) as n`,
    `insert into log_open (webhook_id, sequence, due_ms) values ('${webhookId}', 999, ${LARGEST})`,
    `insert into log_open (webhook_id, sequence) values ('999999', ${content})`,
  ],
}

/** The state: an app that cannot be opened, webhooks with a URL and a time that are none, a replay job that makes no sense. */
const stateDamage = (jobWebhookId: string, brokenWebhookId: string) => [
  `update apps set consumer_secret_sealed = 'broken', callback_urls = '{' where id = '${thirdApp.id}'`,
  `update webhooks set normal_url = 'no URL', created_at_ms = ${LARGEST}, next_challenge_at_ms = 1 where id = '${brokenWebhookId}'`,
  `insert into replay_jobs (id, app_id, webhook_id, from_ms, to_ms, state, position, delivered, failed, created_at_ms, reported)
    values ('1', '${demoApp.id}', '${jobWebhookId}', -1, ${LARGEST}, 'running', ${LARGEST}, -1, -1, 0, false)`,
]

const eventsUrl = (flavour: Flavour, url: string) => (flavour === 'sqlite' ? `${url}.events` : url)

/** A running replay, and an attempt of it that stands in the log with the largest number there is. */
async function poisonReplay(flavour: Flavour, url: string, { webhookId, sequences }: Place, jobId: string) {
  const [table, largest] = flavour === 'sqlite' ? ['attempt', LARGEST] : ['log_attempt', '2147483647']
  const row = `(${sequences[6]}, '${webhookId}', '${jobId}', ${largest}, 0, 0, 200, 'delivered', '', '', '')`
  await rawRows(eventsUrl(flavour, url), `insert into ${table} values ${row}`)
}

async function startReplay(stage: Stage, token: string, webhook_id: string): Promise<string> {
  const dates = { from_date: formatMinute(stage.clock.now() - 3 * HOUR_MS), to_date: formatMinute(stage.clock.now() + MINUTE_MS) }
  const answer = await stage.api('POST', '/2/webhooks/replay', { token, json: { webhook_id, ...dates } })
  assert.equal(answer.status, 200, answer.text)
  return answer.body.job_id
}

const cameTo = (receiver: TestReceiver) => new Set(receiver.events.map(({ data }) => data?.event_uuid))

for (const flavour of databasesOf(import.meta)) {
  test(`${flavour}: unreadable rows lose their own deliveries, with a log line, and affect no others`, async () => {
    await using database = await migratedDatabase(flavour)
    await using good = await startReceiver([demoApp.consumer_secret])
    await using sealed = await startReceiver([thirdApp.consumer_secret])
    await using stage = await setStage({ environment: { POSTERN_DATABASE_URL: database.url, POSTERN_RETRY_PLAN: '1h,1s' } })
    const { token, webhookId } = await stage.connect(good)
    await stage.operator('POST', '/operator/seed', { apps: [thirdApp], tokens: [seedConsent(thirdApp, '101')] })
    const other = await stage.token(thirdApp)
    const sealedId = await stage.register(sealed.url, other)
    await stage.subscribe(sealedId, other)
    const brokenId = await stage.register(`${good.url}?broken`, token)
    await stage.subscribe(brokenId, token)
    for (const receiver of [good, sealed]) receiver.answerPosts(500)
    const uuids = await stage.publish(...Array.from({ length: 10 }, (_, n) => ({ n })))
    await stage.deliveriesWhen('state=retrying', (found) => found.length === 30)
    await stage.stop()

    const place = { webhookId, sequences: uuids.map((uuid) => sequenceOf(uuid)!) }
    for (const statement of logDamage[flavour](place)) await rawRows(eventsUrl(flavour, database.url), statement)
    for (const statement of stateDamage(webhookId, brokenId)) await rawRows(database.url, statement)
    good.intercept = undefined
    await stage.start()
    stage.clock.advance(HOUR_MS)
    const [late] = await stage.publish({ late: true })
    const readable = [...uuids.slice(4), late!]
    await good.when(() => readable.every((uuid) => cameTo(good).has(uuid)))

    for (const [id, uuid] of [sealedId, brokenId].flatMap((id) => [uuids[9]!, late!].map((uuid) => [id, uuid]))) {
      const [found] = await stage.deliveriesWhen(`webhook_id=${id}&event_uuid=${uuid}`, ([delivery]) => delivery.state === 'not_sent')
      assert.match(found.attempts.at(-1).error, /^webhook (cannot be read|invalid)$/)
    }
    await stage.until(async () => (await stage.operator('GET', '/operator/replays/1')).body.data?.state !== 'running')

    const held: (() => void)[] = []
    good.intercept = (request, response) => {
      if (request.method !== 'POST' || held.length >= 4) return false
      held.push(() => answerWith(response, 200))
      return true
    }
    const jobId = await startReplay(stage, token, webhookId)
    await good.when(() => held.length === 4)
    await poisonReplay(flavour, database.url, place, jobId)
    for (const release of held) release()
    await stage.until(async () => (await stage.operator('GET', `/operator/replays/${jobId}`)).body.data.reported)
    stage.clock.advance(2 * HOUR_MS)
    const [last] = await stage.publish({ last: true })
    await good.when(() => cameTo(good).has(last))
    const errors = stage.log.filter(({ level }) => level >= 50)
    assert.ok(errors.length <= MOST_ERRORS, `${errors.length} lines: ${errors.map(({ msg, err }) => `${msg}: ${err?.message}`).join('\n')}`)
  })
}
