// The rows of docs/runbook.md about PostgreSQL and several processes, each tried by making its fault.
import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { suite, test } from 'node:test'
import { Client } from 'pg'
import { createClock } from '../../../src/lib/clock.ts'
import { migratedDatabase } from '../../stage/database.ts'
import { demo, messages, publish, subscribe } from '../../stage/demo-client.ts'
import { freePort } from '../../stage/free-port.ts'
import { demoApp, setStage } from '../../stage/postern.ts'
import { PosternProcess } from '../../stage/postern-process.ts'
import { startReplicatedPair, virtualAddress } from '../../stage/postgres-pair.ts'
import { startReceiver } from '../../stage/receiver.ts'
import { openRunbook, runbookOptions, until } from '../../stage/runbook.ts'

const environment = { POSTERN_OPERATOR_PORT: '0' }

async function statements(url: string, ...all: string[]) {
  const client = new Client({ connectionString: url })
  await client.connect()
  for (const one of all) await client.query(one)
  await client.end()
}

suite('the runbook of PostgreSQL', runbookOptions, () => {
  test('PostgreSQL does not answer, or takes no writes', async () => {
    await using pair = await startReplicatedPair()
    await using address = await virtualAddress(pair.primary)
    await statements(pair.primary.url, 'create database postern')
    const url = new URL(address.url)
    url.pathname = '/postern'
    await using stage = await setStage({ environment: { ...environment, POSTERN_DATABASE_URL: url.href } })
    await using book = await openRunbook({ operatorUrl: stage.origins.operator_url, lines: () => stage.log, databaseUrl: url.href })
    const row = book.row('PostgreSQL does not answer, or takes no writes')
    const isReady = async () => (await book.paste('ready')).includes('{"ready":true}')
    const writes = async () => (await stage.operator('POST', '/operator/events', { events: messages('101', 1) })).status
    assert.equal(await writes(), 202)

    await statements(
      pair.primary.url,
      'alter database postern set default_transaction_read_only = on',
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = 'postern'",
    )
    assert.equal(await writes(), 503)
    const readOnly = await row.paste('pg_is_in_recovery')
    row.says(readOnly, '"failed":["state"', 'f|on')
    await row.run('reset default_transaction_read_only')
    await until(isReady)
    row.says(await book.paste('ready'), '{"ready":true}')
    assert.match(await row.paste('pg_is_in_recovery'), /^f\|off$/m)
    assert.equal(await writes(), 202)

    await pair.primary.halt('SIGKILL')
    await stage.until(async () => (await writes()) === 503)
    await assert.rejects(row.paste('pg_is_in_recovery'), /psql: error: connection to server|server closed the connection/)
    await stage.logged('the database cannot be used', 1)
    address.leadTo(pair.standby)
    const standby = await row.paste('pg_is_in_recovery')
    assert.match(standby, /^t\|off$/m)
    row.says(standby, 't|', '"failed":["state"', 'reason')
    await row.run('pg_promote')
    await until(isReady)
    assert.equal(await writes(), 202)
    book.assertAllPasted()
  })

  test('A transaction blocks the others, The disk is full, Answers of 500', async () => {
    await using database = await migratedDatabase('postgres', { unused: true })
    await using stage = await setStage({ environment: { ...environment, POSTERN_DATABASE_URL: database.url } })
    await using book = await openRunbook({ operatorUrl: stage.origins.operator_url, lines: () => stage.log, databaseUrl: database.url })
    const forgotten = new Client({ connectionString: database.url, application_name: 'somebody' })
    const lost = new Promise((resolve) => forgotten.on('error', resolve))
    await forgotten.connect()
    await forgotten.query('begin')
    await forgotten.query('select 1')
    const old = book.row('A transaction blocks the others')

    const full = book.row('The disk is full', 'df -h', 'sending resumes')
    await statements(database.url, "select pg_create_physical_replication_slot('gone', true)")
    try {
      assert.match(await full.paste('pg_replication_slots'), /^gone\|f\|\d/m)
    } finally {
      await book.set({ SLOT: 'gone' })
      await full.run('pg_drop_replication_slot')
    }
    assert.doesNotMatch(await full.paste('pg_replication_slots'), /gone/)
    assert.match(await book.paste("api /operator/storage | jq -c '.data.parts[:4]'"), /"name":"/)

    const broken = book.row('Answers of 500')
    await statements(database.url, 'alter table webhooks rename to elsewhere')
    assert.equal((await stage.operator('GET', '/operator/webhooks')).status, 500)
    const printed = await broken.paste('unhandled error')
    broken.says(printed, 'endpoint', 'status="500"')
    assert.match(printed, /"endpoint":"listAllWebhooks","path":null,"error":"relation \\"webhooks\\" does not exist"/)
    await statements(database.url, 'alter table elsewhere rename to webhooks')
    assert.equal((await stage.operator('GET', '/operator/webhooks')).status, 200)
    const count = (text: string) => /endpoint="listAllWebhooks",status="500"\} (\d+)/.exec(text)?.[1]
    assert.equal(count(await broken.paste('unhandled error')), count(printed))

    await forgotten.query('lock table webhooks')
    const list = async () => (await stage.operator('GET', '/operator/webhooks')).status
    const pidOf = (text: string) => /^(\d+)\|somebody\|idle in transaction/m.exec(text)?.[1]
    const isBlocked = (text: string) => new RegExp(`^\\d+\\|postern.*\\|Lock\\|\\{${pidOf(text)}\\}`, 'm').test(text)
    let blocked = list()
    let found = ''
    await until(async () => {
      found = await old.paste('xact_start')
      // Sessions of other databases of the server may wait too.
      if (isBlocked(found)) return true
      // A statement waits for a lock for a while only.
      if (await Promise.race([blocked, false])) blocked = list()
      return false
    })
    old.says(found, 'idle in transaction', 'Lock')
    await book.set({ PID: pidOf(found)! })
    await old.paste('pg_terminate_backend')
    await lost
    await blocked
    assert.equal(await list(), 200)
    assert.equal((await old.paste('xact_start')).trim(), '')
    book.assertAllPasted()
  })

  test('The clock differs', async () => {
    let steppedMs = 0
    const clock = createClock(0, () => Date.now() + steppedMs)
    await using database = await migratedDatabase('postgres', { unused: true })
    await using receiver = await startReceiver([demoApp.consumer_secret])
    await using stage = await setStage({ clock, environment: { ...environment, POSTERN_DATABASE_URL: database.url } })
    await using book = await openRunbook({ operatorUrl: stage.origins.operator_url, lines: () => stage.log, databaseUrl: database.url })
    const row = book.row('The clock differs')
    await stage.connect(receiver)
    steppedMs = -600_000
    const AHEAD =
      'the clock of this machine differs from that of the database, which retries follow: set it right, signatures are checked against it'
    const told = async (message: string) => {
      await stage.publish({})
      return stage.log.some(({ msg }) => msg === message)
    }
    await stage.until(() => told(AHEAD))
    const printed = await row.paste('behind_seconds')
    row.says(printed, 'behind_seconds')
    assert.match(printed, /"behind_seconds":(599|600|601)\}/)
    steppedMs = 0
    const AGREES = 'the clock of this machine agrees with that of the database again'
    await stage.until(() => told(AGREES))
    row.says(await book.paste('logs'), AGREES)
    book.assertAllPasted()
  })

  test('A process is frozen, A process is down', async () => {
    await using database = await migratedDatabase('postgres', { unused: true })
    await using receiver = await startReceiver([demo.secret])
    const start = async () => {
      const port = String(await freePort())
      const postern = new PosternProcess({ POSTERN_DATABASE_URL: database.url, POSTERN_OPERATOR_PORT: port }, '/tmp')
      return { postern, origins: await postern.ready() }
    }
    const [frozen, other] = await Promise.all([start(), start()])
    await using book = await openRunbook({ operatorUrl: other.origins.operator_url, lines: () => other.postern.lines })
    try {
      const row = book.row('A process is frozen')
      const down = book.row('A process is down', 'journalctl')
      await subscribe(frozen.origins, receiver.url, '101')
      const hanging: ServerResponse[] = []
      receiver.intercept = (request, response) => request.method === 'POST' && hanging.push(response) > 0
      assert.equal((await publish(frozen.origins, messages('101', 50))).status, 202)
      await receiver.when(() => hanging.length === 4)
      receiver.intercept = undefined
      frozen.postern.child.kill('SIGSTOP')
      await receiver.when(() => new Set(receiver.events.map(({ data }) => data?.event_uuid)).size === 50)
      row.says(await book.paste('logs'), 'worker leases expired')
      const listed = await row.paste('frozen')
      row.says(listed, '"frozen":true', '"event_loop_delay_ms":null')
      assert.match(listed, new RegExp(`"pid":${frozen.postern.child.pid},`))
      await row.run('systemctl kill')
      await frozen.postern.end('SIGKILL')
      const again = await start()
      try {
        await until(async () => {
          const printed = await row.paste('frozen')
          return !/"frozen":true|"event_loop_delay_ms":null/.test(printed) && printed.match(/^\{"worker"/gm)?.length === 2
        })
        row.says(await row.paste('frozen'), '"frozen":false')
        down.says(await down.paste('started_at'), 'version', 'started_at')
      } finally {
        await again.postern.end('SIGKILL')
      }
      await until(async () => /a process ended without a shutdown, was frozen or was cut off/.test(await book.paste('logs')))
      down.says(await book.paste('logs'), 'a process ended without a shutdown, was frozen or was cut off')
      book.assertAllPasted()
    } finally {
      await Promise.all([frozen, other].map(({ postern }) => postern.end('SIGKILL')))
    }
  })
})
