// The alerts of deploy/prometheus/rules.yaml, each seen to fire in a real Prometheus once its fault is made, and not before.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { Client } from 'pg'
import { call } from '../../stage/call.ts'
import { messages, publish } from '../../stage/demo-client.ts'
import { freePort } from '../../stage/free-port.ts'
import { startGate } from '../../stage/gate.ts'
import { startNats, withoutNats } from '../../stage/nats-server.ts'
import { demoApp, OPERATOR_TOKEN, otherApp, setStage } from '../../stage/postern.ts'
import { PosternProcess } from '../../stage/postern-process.ts'
import { startPostgres } from '../../stage/postgres-server.ts'
import { type Prometheus, startPrometheus } from '../../stage/prometheus.ts'
import { alertRules, RULES } from '../../stage/queries.ts'
import { answerWith, startReceiver } from '../../stage/receiver.ts'
import { until } from '../../stage/runbook.ts'
import { scrape } from '../../stage/scrape.ts'
import { canMount, mountSmallDisk } from '../../stage/small-disk.ts'

/** Alerts whose fault takes too long or too much: what is less here. Everything else of their expressions stays. */
const LESS: Readonly<Record<string, [from: string, to: string]>> = {
  PosternBrokerLags: ['> 60', '> 2'],
  PosternConnectionsAwaited: ['[5m]', '[30s]'],
  PosternOldTransaction: ['> 900', '> 2'],
}

/** An alert that is not seen to fire: its trend is that of six hours. Prometheus computes those of a made-up series below. */
const NOT_MADE = ['PosternLogGrows']

/** The rules, but an alert fires as soon as its expression holds twice in a row. */
const quickRules = () => ({
  groups: [
    {
      name: 'postern',
      rules: alertRules().map((rule) => {
        const [from, to] = LESS[rule.alert] ?? ['', '']
        assert.ok(rule.expr.includes(from), rule.alert)
        return { ...rule, expr: rule.expr.replace(from, to), for: '1s' }
      }),
    },
  ],
})

const annotationsOf = (alert: string) => alertRules().find((rule) => rule.alert === alert)!.annotations

const seen = new Set<string>()

/** Resolves once these alerts fire. */
const fires = (prometheus: Prometheus, ...names: string[]) =>
  until(async () => {
    const firing = await prometheus.firing()
    for (const name of firing) seen.add(name)
    return names.every((name) => firing.includes(name))
  })

/** Resolves once every target was scraped a few times; nothing fires then. */
async function isQuiet(prometheus: Prometheus, targets: number) {
  const isScraped = async () => (await prometheus.query('count_over_time(postern_events_accepted_total[5m]) > 3')).length === targets
  await until(() => isScraped().catch(() => false))
  assert.deepEqual(await prometheus.firing(), [])
}

const withoutDisk = !(await canMount()) && 'needs to mount a disk'

suite('the alert rules', () => {
  let folder: string
  let rules: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'postern-alerts-'))
    rules = join(folder, 'rules.yaml')
    await writeFile(rules, JSON.stringify(quickRules()))
  })
  after(() => rm(folder, { recursive: true }))

  test('fire for callbacks that fail, hang or are invalid, and for guessed credentials', async () => {
    const environment = { POSTERN_OPERATOR_PORT: '0', POSTERN_RETRY_PLAN: '10ms', POSTERN_CALLBACK_TIMEOUT: '1h' }
    await using stage = await setStage({ environment })
    const { operator_url } = stage.origins
    await using receiver = await startReceiver([demoApp.consumer_secret])
    await using failing = await startReceiver([otherApp.consumer_secret])
    await stage.connect(receiver)
    const token = await stage.token(otherApp)
    const failingId = await stage.register(failing.url, token)
    await stage.subscribe(failingId, token, { filter: { user_id: '102' } })
    await using prometheus = await startPrometheus(rules, operator_url)
    await isQuiet(prometheus, 1)

    failing.answerPosts(500)
    await stage.operator('POST', '/operator/events', { events: messages('102', 1) })
    await stage.deliveriesWhen('state=given_up', (found) => found.length === 1)
    failing.intercept = (_request, response) => answerWith(response, 404)
    for (let time = 0; time < 3; time++) assert.equal((await stage.api('PUT', `/2/webhooks/${failingId}`, { token })).status, 400)
    for (let time = 0; time < 1100; time++) await call(`${operator_url}/operator/apps`, 'GET', { token: 'wrong' })
    receiver.hold('POST')
    await stage.publish(...Array.from({ length: 10 }, (_, n) => ({ n })))
    await receiver.holding(4)
    stage.clock.advance(90_000)
    await fires(
      prometheus,
      'PosternDeliveriesGivenUp',
      'PosternWebhooksInvalid',
      'PosternChallengesFail',
      'PosternManyWrongCredentials',
      'PosternQueueIsOld',
    )
    receiver.letGo()
  })

  test('fire for a full disk, descriptors that run out, and a process that has ended', { skip: withoutDisk }, async () => {
    await using disk = (await mountSmallDisk(64))!
    const port = await freePort()
    const postern = new PosternProcess(
      { POSTERN_DATABASE_URL: `sqlite:${disk.folder}/postern.db`, POSTERN_OPERATOR_PORT: String(port) },
      folder,
    )
    const origins = await postern.ready()
    const sockets: Socket[] = []
    try {
      await using prometheus = await startPrometheus(rules, origins.operator_url)
      await isQuiet(prometheus, 1)
      await disk.take()
      await until(async () => (await publish(origins, messages('101', 100))).status === 503)
      await publish(origins, messages('101', 100))
      await fires(prometheus, 'PosternDiskIsFull', 'PosternLogCommitsFail')
      await disk.give()

      const open = (await scrape(origins.operator_url)).value('process_open_fds')
      execFileSync('prlimit', ['--pid', String(postern.child.pid), `--nofile=${open! + 60}`])
      for (let count = 0; count < 50; count++) sockets.push(connect(Number(new URL(origins.base_url).port), '127.0.0.1'))
      await fires(prometheus, 'PosternDescriptorsRunOut')

      await postern.end('SIGKILL')
      await fires(prometheus, 'PosternProcessDown')
    } finally {
      for (const socket of sockets) socket.destroy()
      await postern.end('SIGKILL')
    }
  })

  test('fire for a lock, a lost process, a missing role, a bug, and messages that come late', async () => {
    const server = await startPostgres()
    const processes: PosternProcess[] = []
    const operator = new Client({ connectionString: server.url, application_name: 'somebody' })
    operator.on('error', () => {})
    const start = async (more: Record<string, string> = {}) => {
      const port = String(await freePort())
      const started = new PosternProcess({ POSTERN_DATABASE_URL: server.url, POSTERN_OPERATOR_PORT: port, ...more }, folder)
      processes.push(started)
      return { process: started, origins: await started.ready() }
    }
    try {
      const first = await start()
      const second = await start()
      await operator.connect()
      await using prometheus = await startPrometheus(rules, first.origins.operator_url)
      await isQuiet(prometheus, 1)
      const list = () => call(`${first.origins.operator_url}/operator/webhooks`, 'GET', { token: OPERATOR_TOKEN })

      await operator.query('alter table webhooks rename to elsewhere')
      assert.equal((await list()).status, 500)
      await operator.query('alter table elsewhere rename to webhooks')
      await fires(prometheus, 'PosternInternalErrors')

      await operator.query('begin; lock table webhooks')
      let isLocked = true
      const asking = Array.from({ length: 60 }, async () => {
        while (isLocked) await list()
      })
      await fires(prometheus, 'PosternConnectionsAwaited', 'PosternOldTransaction')
      isLocked = false
      await operator.query('rollback')
      await Promise.all(asking)

      // The session that hears the messages stands still most of the time, as on a machine that is overloaded.
      const { rows } = await operator.query(`select pid from pg_stat_activity where application_name ~ '^postern [0-9]'`)
      const backends = rows.map(({ pid }) => pid as number)
      assert.ok(backends.length > 0)
      let isOver = false
      const slow = (async () => {
        while (!isOver) {
          for (const pid of backends) process.kill(pid, 'SIGSTOP')
          await wait(1500)
          for (const pid of backends) process.kill(pid, 'SIGCONT')
          await wait(50)
        }
      })()
      await fires(prometheus, 'PosternFeedLags').finally(() => {
        isOver = true
      })
      await slow

      await second.process.end('SIGKILL')
      await fires(prometheus, 'PosternTakeovers')

      const third = await start({ POSTERN_ROLES: 'api' })
      await first.process.end('SIGTERM')
      await using other = await startPrometheus(rules, third.origins.operator_url)
      await fires(other, 'PosternRoleIsMissing')
    } finally {
      for (const one of processes) await one.end('SIGKILL')
      await operator.end()
      await server.stop()
    }
  })

  test('fire for one of several event logs that is away', async () => {
    const server = await startPostgres()
    const url = new URL(server.url)
    url.pathname = '/other'
    const maker = new Client({ connectionString: server.url })
    await maker.connect()
    await maker.query('create database other')
    await maker.end()
    try {
      await using gate = await startGate(url.href)
      const environment = {
        POSTERN_OPERATOR_PORT: '0',
        POSTERN_DATABASE_URL: server.url,
        POSTERN_LOG_URLS: `${server.url},${gate.url}`,
      }
      await using stage = await setStage({ environment })
      await using prometheus = await startPrometheus(rules, stage.origins.operator_url)
      await isQuiet(prometheus, 1)
      await gate.shut()
      await fires(prometheus, 'PosternLogAway')
      await gate.open()
    } finally {
      await server.stop()
    }
  })

  test('fire for a broker that lags or is away, and for messages that can never be published', { skip: withoutNats }, async () => {
    await using nats = await startNats()
    const environment = { POSTERN_OPERATOR_PORT: '0', POSTERN_EVENTS_FROM: `nats://${nats.address}?stream=EVENTS&max_ack_pending=1` }
    await using stage = await setStage({ environment })
    await stage.logged('events are taken from the broker', 1)
    await using prometheus = await startPrometheus(rules, stage.origins.operator_url)
    await isQuiet(prometheus, 1)
    await nats.send([{ body: 'no event' }])
    await fires(prometheus, 'PosternMessagesParked')

    // While one message is not settled, no other is delivered.
    const holding = nats.hold()
    await nats.send(messages('101', 50).map((event) => ({ body: JSON.stringify(event) })))
    await holding
    await fires(prometheus, 'PosternBrokerLags')

    await nats.halt('SIGKILL')
    await fires(prometheus, 'PosternBrokerAway')
  })

  test('fire for an event log that doubles within a day and for a transaction of a quarter of an hour, and not for less', async () => {
    const fired = (alert: string) => ({ exp_labels: { severity: 'ticket' }, exp_annotations: annotationsOf(alert) })
    const atTime = (eval_time: string, alertname: string, isFiring: boolean) => ({
      eval_time,
      alertname,
      exp_alerts: isFiring ? [fired(alertname)] : [],
    })
    const series = (name: string, values: string) => [{ series: `${name}{job="postern"}`, values }]
    const tests = [
      {
        interval: '1m',
        // 43 GB a day, from 12 GB on.
        input_series: series('postern_event_log_bytes', '1.2e10+3e7x300'),
        alert_rule_test: [atTime('50m', 'PosternLogGrows', false), atTime('3h', 'PosternLogGrows', true)],
      },
      {
        interval: '1m',
        // 7 GB a day.
        input_series: series('postern_event_log_bytes', '1.2e10+5e6x300'),
        alert_rule_test: [atTime('3h', 'PosternLogGrows', false)],
      },
      {
        interval: '1m',
        input_series: series('postern_oldest_transaction_seconds', '0+60x20'),
        alert_rule_test: [atTime('15m', 'PosternOldTransaction', false), atTime('16m', 'PosternOldTransaction', true)],
      },
    ]
    const path = join(folder, 'trends.yaml')
    await writeFile(path, JSON.stringify({ rule_files: [RULES], evaluation_interval: '1m', tests }))
    const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', path], { encoding: 'utf8' })
    assert.equal(status, 0, stdout + stderr)
  })

  test('were all seen to fire, but the one whose fault takes hours', () => {
    const missing = alertRules()
      .map(({ alert }) => alert)
      .filter((name) => !seen.has(name))
    assert.deepEqual(missing, NOT_MADE)
  })
})
