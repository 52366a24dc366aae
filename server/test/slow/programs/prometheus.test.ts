import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { databasesOf } from '../../stage/databases.ts'
import { demoApp, setStage } from '../../stage/postern.ts'
import { startPrometheus } from '../../stage/prometheus.ts'
import { alertExpressions, dashboardQueries, isAbsentOn, RULES } from '../../stage/queries.ts'
import { startReceiver } from '../../stage/receiver.ts'

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
    await using prometheus = await startPrometheus(RULES, stage.origins.operator_url)
    const isReady = () => prometheus.query('count_over_time(postern_processes[5m]) > 2').then((found) => found.length > 0)
    await stage.until(() => isReady().catch(() => false))

    const isThere = (query: string) => !namesIn(query).some((name) => isAbsentOn(flavour, name))
    const empty: string[] = []
    for (const query of [...alertExpressions().flatMap(comparedIn), ...dashboardQueries().map(filled)])
      if ((await prometheus.query(query)).length === 0 && isThere(query)) empty.push(query)
    assert.deepEqual(empty, [])

    const evaluated = await stage.until(async () => {
      const rules = await prometheus.rules()
      return rules.every(({ health }) => health !== 'unknown') && rules
    })
    assert.deepEqual(
      evaluated.filter(({ health }) => health !== 'ok'),
      [],
    )
    assert.equal(evaluated.length, alertExpressions().length)
  })
