import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { databasesOf } from '../../stage/databases.ts'
import { freePort } from '../../stage/free-port.ts'
import { demoApp, setStage } from '../../stage/postern.ts'
import { alertExpressions, dashboardQueries, isAbsentOn, RULES } from '../../stage/queries.ts'
import { startReceiver } from '../../stage/receiver.ts'

interface Answer {
  status: string
  error?: string
  data: { result: unknown[] }
}

/** Prometheus with the alert rules, which scrapes one target every second. */
async function startPrometheus(target: string) {
  const folder = await mkdtemp(join(tmpdir(), 'postern-prometheus-'))
  const port = await freePort()
  const configuration = {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: [RULES],
    scrape_configs: [{ job_name: 'postern', static_configs: [{ targets: [target] }] }],
  }
  await writeFile(join(folder, 'prometheus.yml'), JSON.stringify(configuration))
  const flags = [`--config.file=${folder}/prometheus.yml`, `--storage.tsdb.path=${folder}/data`, `--web.listen-address=127.0.0.1:${port}`]
  const child = spawn('prometheus', flags, { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (chunk) => (said += chunk))
  const get = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`)
    return (await response.json()) as Answer
  }
  const query = async (expression: string): Promise<unknown[]> => {
    const answer = await get(`/api/v1/query?query=${encodeURIComponent(expression)}`)
    assert.equal(answer.status, 'success', `${expression}: ${answer.error}`)
    return answer.data.result
  }
  return {
    query,
    rules: async () => (await get('/api/v1/rules')).data as unknown as { groups: { rules: { name: string; health: string }[] }[] },
    said: () => said,
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
      await rm(folder, { recursive: true })
    },
  }
}

test('promtool finds no mistake in the alert rules', () => {
  const { status, stdout, stderr } = spawnSync('promtool', ['check', 'rules', RULES], { encoding: 'utf8' })
  assert.equal(status, 0, stdout + stderr)
})

/** Grafana fills this in. */
const filled = (query: string) => query.replaceAll('$__rate_interval', '5m')

const namesIn = (query: string) => [...query.matchAll(/(?:postern|process|nodejs)_\w+/g)].map(([name]) => name)

/** What a comparison is about: an alert that does not fire has no result. */
const comparedIn = (expression: string) => expression.split(' and ').map((part) => part.replace(/ (?:>|<|==) .*$/, ''))

for (const flavour of databasesOf(import.meta))
  test(`${flavour}: a real Prometheus that scrapes a server evaluates every alert and every query of the dashboard`, async () => {
    const environment = { POSTERN_OPERATOR_PORT: '0', POSTERN_RETRY_PLAN: '10ms' }
    await using stage = await setStage({ flavour, environment })
    await using receiver = await startReceiver([demoApp.consumer_secret])
    await stage.connect(receiver)
    await stage.publish({}, {})
    await receiver.received(2)
    await using prometheus = await startPrometheus(new URL(stage.origins.operator_url).host)
    const isReady = () => prometheus.query('count_over_time(postern_processes[5m]) > 2').then((found) => found.length > 0)
    await stage.until(() => isReady().catch(() => false))

    const isThere = (query: string) => !namesIn(query).some((name) => isAbsentOn(flavour, name))
    const empty: string[] = []
    for (const query of [...alertExpressions().flatMap(comparedIn), ...dashboardQueries().map(filled)])
      if ((await prometheus.query(query)).length === 0 && isThere(query)) empty.push(query)
    assert.deepEqual(empty, [])

    const evaluated = await stage.until(async () => {
      const { groups } = await prometheus.rules()
      const rules = groups.flatMap((group) => group.rules)
      return rules.every(({ health }) => health !== 'unknown') && rules
    })
    assert.deepEqual(
      evaluated.filter(({ health }) => health !== 'ok'),
      [],
    )
    assert.equal(evaluated.length, alertExpressions().length)
  })
