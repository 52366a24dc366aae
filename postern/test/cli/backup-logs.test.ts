// Backups of several event logs, on a PostgreSQL with a database for each.
import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { slotOf } from '../../../server/src/storage/log-map.ts'
import { backupFolder } from '../../../server/test/stage/backups.ts'
import { freshDatabase, migratedDatabase } from '../../../server/test/stage/database.ts'
import { demoApp, type Stage, type StageOptions, setStage } from '../../../server/test/stage/postern.ts'
import { startReceiver, type TestReceiver } from '../../../server/test/stage/receiver.ts'
import { rawRows } from '../../../server/test/storage/samples.ts'
import { endCommands, runCommand } from './command.ts'

const LOGS = 3
const held = new AsyncDisposableStack()
after(() => held.disposeAsync())
after(endCommands)

/** Ids of webhooks, one in each log when the slots are divided evenly. */
const IDS = Array.from({ length: LOGS }, (_, log) =>
  String([...Array(100).keys()].find((id) => id > 0 && slotOf(String(id)) % LOGS === log)),
)

const environmentOf = (urls: readonly string[], logUrls = urls) => ({ POSTERN_DATABASE_URL: urls[0]!, POSTERN_LOG_URLS: logUrls.join(',') })
const placeOf = (url: string) => url.slice(url.lastIndexOf('@') + 1)
const start = (urls: readonly string[], logUrls = urls, seed: StageOptions['seed'] = {}) =>
  setStage({ environment: { ...environmentOf(urls, logUrls), POSTERN_RETRY_PLAN: '1h,1h' }, seed })

async function databases(make: () => ReturnType<typeof freshDatabase>): Promise<[string, string, string]> {
  const urls: string[] = []
  for (let made = 0; made < LOGS; made += 1) urls.push(held.use(await make()).url)
  return urls as [string, string, string]
}

let original: [string, string, string]
let stage: Stage
let receivers: TestReceiver[]
let folder: Awaited<ReturnType<typeof backupFolder>>
let pending: string

const backUp = (to: string, environment: Record<string, string>) =>
  runCommand(['backup', folder.at(to), '--without-media'], { environment })
const restore = (...args: string[]) => runCommand(['restore', folder.at('one'), '--without-media', ...args], { environment: {} })

/** A webhook in each log, with an event that came and one that is retried in an hour; and a backup of it. */
before(async () => {
  folder = held.use(await backupFolder())
  original = await databases(() => migratedDatabase('postgres'))
  stage = held.use(await start(original, original, { apps: [demoApp] }))
  receivers = []
  for (const id of IDS) receivers.push(held.use(await startReceiver([demoApp.consumer_secret], `/${id}`)))
  const webhooks = receivers.map(({ url }, at) => ({ id: IDS[at]!, consumer_key: demoApp.consumer_key, url }))
  const subscriptions = IDS.map((webhook_id) => ({
    consumer_key: demoApp.consumer_key,
    event_type: 'dm.received',
    filter: { user_id: '101' },
    webhook_id,
  }))
  const seeded = await stage.operator('POST', '/operator/seed', { webhooks, subscriptions })
  assert.equal(seeded.status, 200, seeded.text)
  await stage.publish({ n: 1 })
  for (const receiver of receivers) await receiver.when(() => receiver.posts === 1)
  for (const receiver of receivers) receiver.answerPosts(500)
  pending = (await stage.publish({ n: 2 }))[0]!
  await stage.deliveriesWhen(`event_uuid=${pending}`, (found) => found.length === LOGS && found.every(({ state }) => state === 'retrying'))
  for (const receiver of receivers) receiver.intercept = undefined
  const { code, stdout, stderr } = await backUp('one', environmentOf(original))
  assert.equal(code, 0, stderr)
  const [, two, three] = original.map(placeOf)
  const size = String.raw`\d+ rows, \d+ bytes`
  assert.match(
    stdout,
    new RegExp(`^backed up and verified: postgres of .*\nevent log 2 of ${two}: ${size}\nevent log 3 of ${three}: ${size}\n$`),
  )
})

test('the state and every log are restored by one command, as a copy that uses no log of the original, and send what was pending once released', async () => {
  const [state, two, three] = await databases(() => freshDatabase('postgres'))
  const { code, stdout, stderr } = await restore('--to', state, '--log-to', `2=${two}`, '--log-to', `3=${three}`, '--as-copy')
  assert.equal(code, 0, stderr)
  assert.match(stdout, /^restored: postgres of .*\nevent log 2 of .*\nevent log 3 of .*\n$/)
  const places = [state, two, three].map(placeOf).join(', ')
  assert.equal(stderr, `Its servers need POSTERN_LOG_URLS with ${places}.\nIt sends nothing until \`postern restore --release\`.\n`)
  await assert.rejects(start([state, two, three], [state, two, original[2]]), {
    message: /which is no restored copy, but this database is one/,
  })
  await assert.rejects(start([state, two, three], [state, two]), {
    message: /^POSTERN_LOG_URLS lacks event log 3 at \S+, which has slots or events/,
  })

  await using copy = await start([state, two, three])
  const listed = (await copy.operator('GET', '/operator/logs')).body.data
  assert.deepEqual(
    listed.map(({ log, state: is, slots, events, database }: Record<string, unknown>) => [log, is, slots, events, database]),
    [
      [1, 'used', 86, 2, placeOf(state)],
      [2, 'used', 85, 2, placeOf(two)],
      [3, 'used', 85, 2, placeOf(three)],
    ],
  )
  await stage.stop()
  const before = receivers.map(({ posts }) => posts)
  await copy.operator('POST', '/operator/clock', { advance: '1h' })
  assert.deepEqual(
    receivers.map(({ posts }) => posts),
    before,
  )
  assert.equal((await copy.operator('POST', '/operator/release')).status, 200)
  for (const receiver of receivers) await receiver.when(() => receiver.events.some(({ data }) => data?.event_uuid === pending))
  assert.deepEqual(
    receivers.map(({ posts }, at) => posts - before[at]!),
    [1, 1, 1],
    'what had been delivered is not sent again',
  )
})

test('a backup that would lack a log is refused, and one of a database that is named has that alone, and says what it lacks', async () => {
  const lacks = (log: number) =>
    new RegExp(`^POSTERN_LOG_URLS lacks event log ${log} at ${placeOf(original[log - 1]!)}, which has slots or events: add the URL`)
  const one = await backUp('lacking', environmentOf(original, original.slice(0, 2)))
  assert.deepEqual([one.code, lacks(3).test(one.stderr)], [1, true], one.stderr)
  const unset = await backUp('lacking', { POSTERN_DATABASE_URL: original[0] })
  assert.match(unset.stderr, /^POSTERN_LOG_URLS lacks event log 2 at \S+ and event log 3 at \S+, which have slots or events/)
  assert.deepEqual((await readdir(folder.at(''))).sort(), ['one'])

  const alone = await runCommand(['backup', folder.at('alone'), '--without-media', '--database', original[1]])
  assert.equal(alone.code, 0, alone.stderr)
  assert.equal(alone.stdout.split('\n').length, 2)
  assert.doesNotMatch(alone.stderr, /Not in it/)
  const lacking = `Not in it: ${[2, 3].map((log) => `event log ${log} of ${placeOf(original[log - 1]!)}`).join(', ')}. Without --database, `
  const ofState = await runCommand(['backup', folder.at('state'), '--without-media', '--database', original[0]])
  assert.ok(ofState.stderr.startsWith(lacking), ofState.stderr)
  const { url } = held.use(await freshDatabase('postgres'))
  const restored = await runCommand(['restore', folder.at('state'), '--without-media', '--to', url], { environment: {} })
  assert.ok(restored.stderr.startsWith(lacking), restored.stderr)
})

test('a restore is refused unless each log of the backup has an empty database of its own, and nothing is made', async () => {
  const [state, two, three] = await databases(() => freshDatabase('postgres'))
  const refused = async (...logs: string[]) => {
    const { code, stderr } = await restore('--to', state, ...logs.flatMap((log) => ['--log-to', log]))
    return `${code} ${stderr.split('\n')[0]}`
  }
  const was = placeOf(original[2])
  assert.equal(
    await refused(`2=${two}`),
    `1 The backup has event log 3, which was at ${was}: say where it goes with --log-to 3=postgres://….`,
  )
  assert.equal(
    await refused(`2=${two}`, `3=${three}`, `4=${three}`),
    '1 The backup has no event log 4 beside the database of --to; it has 2 and 3.',
  )
  assert.match(await refused(`2=${two}`, `3=${two}`), /^1 The database at \S+ is being restored already, or is named twice/)
  assert.match(await refused(`2=${two}`, `3=${original[2]}`), /^1 The database at \S+ is not empty: it has \d+ tables/)
  assert.match(await refused(two), /^2 --log-to must be the number of an event log and an empty database/)
  assert.match(await refused(`2=${two}`, `2=${three}`), /^2 --log-to names event log 2 twice\./)
  for (const url of [state, two, three])
    assert.deepEqual(await rawRows(url, `select relname from pg_class where relnamespace = 'public'::regnamespace`), [])
})

test('a backup of one log is a backup by itself, and a damaged one is refused with the rest', async () => {
  const [one] = await databases(() => freshDatabase('postgres'))
  const { code, stderr } = await runCommand(['restore', folder.at('one/logs/2'), '--to', one, '--without-media'])
  assert.equal(code, 0, stderr)
  assert.deepEqual(await rawRows(one, 'select count(*)::int as count from log_event'), [{ count: 2 }])
  const file = folder.at('one/logs/3/tables/log_event.ndjson.gz')
  const good = await readFile(file)
  const bad = Buffer.from(good)
  bad[20]! ^= 1
  await writeFile(file, bad)
  const verified = await runCommand(['backup', folder.at('one'), '--verify'])
  await writeFile(file, good)
  assert.equal(verified.code, 1)
  assert.match(verified.stderr, /one\/logs\/3\/tables\/log_event\.ndjson\.gz is damaged/)
})
