// The operators' feed over the processes that share a PostgreSQL.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client } from 'pg'
import { follow } from '../stage/feed-client.ts'
import { setPair } from '../stage/pair.ts'
import { demoApp } from '../stage/postern.ts'
import { startReceiver } from '../stage/receiver.ts'
import { rawRows } from '../storage/samples.ts'

/** Hears what the processes tell each other. */
async function listenIn(url: string) {
  const client = new Client({ connectionString: url })
  // biome-ignore lint/suspicious/noExplicitAny: messages of every kind
  const heard: any[] = []
  client.on('notification', ({ payload = '' }) => heard.push(JSON.parse(payload)))
  await client.connect()
  await client.query('listen postern_feed')
  return { heard, [Symbol.asyncDispose]: () => client.end() }
}

const setFleet = () => setPair({ flavour: 'postgres', fresh: true, environment: { POSTERN_RATE_LIMITS: 'off' } })

test('a feed has the events, attempts and challenges of all processes, and none of the calls of another', async () => {
  await using pair = await setFleet()
  const { one, other } = pair
  await using receiver = await startReceiver([demoApp.consumer_secret])
  await using feed = await follow(one)
  const { webhookId } = await other.connect(receiver)
  const [uuid] = await other.publish({ text: 'Hello' })
  const attempt = await one.until(() => feed.updates().find(({ kind }) => kind === 'attempt'))
  assert.deepEqual([attempt.event_uuid, attempt.webhook_id, attempt.n, attempt.state], [uuid, webhookId, 1, 'delivered'])
  assert.deepEqual(
    feed.updates().map(({ kind }) => kind),
    ['challenge', 'event', 'attempt'],
  )
  const { processes, covers_all } = feed.messages[0]!.data
  assert.deepEqual([processes, covers_all], [2, true])
})

test('nothing is told while no feed is open, and each process tells what it does while one is', async () => {
  await using pair = await setFleet()
  const { one, other } = pair
  await using receiver = await startReceiver([demoApp.consumer_secret])
  await using wire = await listenIn(one.databaseUrl)
  await other.connect(receiver)
  const [unwatched] = await other.publish({ n: 1 })
  await receiver.received(1)
  assert.deepEqual(
    wire.heard.filter(({ is }) => is !== 'asks'),
    [],
  )
  await using feed = await follow(one)
  await one.until(() => wire.heard.find(({ is }) => is === 'watches'))
  const [watched] = await other.publish({ n: 2 })
  await one.until(() => feed.updates().find(({ kind }) => kind === 'attempt'))
  const told = wire.heard.filter(({ is }) => is === 'updates').flatMap(({ updates }) => updates)
  assert.deepEqual([...new Set(told.map(({ event_uuid }) => event_uuid))], [watched])
  assert.notEqual(unwatched, watched)
})

test('a process that starts while a feed is open tells it what it does', async () => {
  await using pair = await setFleet()
  await using feed = await follow(pair.one)
  await using third = await pair.one.beside()
  const uuid = await third.until(async () => {
    const [published] = await third.publish({ n: 1 })
    return feed.updates().length > 0 ? published : undefined
  })
  await pair.one.until(() => feed.updates().find(({ event_uuid }) => event_uuid === uuid))
})

test('of a burst of another process 200 updates are told and the others counted', async () => {
  await using pair = await setFleet()
  await using wire = await listenIn(pair.one.databaseUrl)
  await using feed = await follow(pair.one)
  await pair.one.until(() => wire.heard.find(({ is }) => is === 'watches'))
  await pair.other.publish(...Array.from({ length: 500 }, (_, n) => ({ n })))
  const skipped = () => feed.messages.reduce((sum, { data }) => sum + (data.skipped ?? 0), 0)
  await pair.one.until(() => feed.updates().length + skipped() === 500)
  assert.deepEqual([feed.updates().length, skipped()], [200, 300])
})

test('after a lost session the feed says that its lists must be read again, and is told of the others again', async () => {
  await using pair = await setFleet()
  const { one, other } = pair
  await using feed = await follow(one)
  const sessions = `select pid from pg_locks where locktype = 'advisory' and objsubid = 2
    and database = (select oid from pg_database where datname = current_database())`
  await rawRows(one.databaseUrl, `select pg_terminate_backend(pid) from (${sessions}) as sessions`)
  await one.until(() => feed.messages.find(({ event }) => event === 'resync'))
  await one.until(async () => {
    await other.publish({ n: 1 }).catch(() => {})
    return feed.updates().length > 0
  })
})

test('what no process has sent does no harm', async () => {
  await using pair = await setFleet()
  const { one, other } = pair
  await using feed = await follow(one)
  const forged = [
    '',
    '{',
    'null',
    '[]',
    '{"by":1,"is":"updates"}',
    '{"by":"x","is":"updates","updates":7}',
    '{"by":"x","is":"updates","skipped":-1}',
  ]
  for (const text of forged) await rawRows(one.databaseUrl, `select pg_notify('postern_feed', '${text}')`)
  await one.until(async () => {
    await other.publish({ n: 1 })
    return feed.updates().length > 0
  })
  assert.deepEqual([...new Set(feed.messages.map(({ event }) => event))], ['hello', 'updates'])
})
