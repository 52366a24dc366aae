import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { call } from '../stage/call.ts'
import { startCollector } from '../stage/collector.ts'
import { demo, messages, publish, subscribe } from '../stage/demo-client.ts'
import { spansOf } from '../stage/otlp.ts'
import { OPERATOR_TOKEN } from '../stage/postern.ts'
import { startReceiver } from '../stage/receiver.ts'
import { sendingTo, setProcesses } from '../stage/telemetry.ts'

const { begin, folder } = setProcesses()

test('a collector that hangs holds up no call and no shutdown, fills no memory, and is named once', async () => {
  await using collector = await startCollector()
  collector.is = 'hang'
  const more = { OTEL_BSP_MAX_QUEUE_SIZE: '10', OTEL_EXPORTER_OTLP_TIMEOUT: '1000', OTEL_METRICS_EXPORTER: 'none' }
  const postern = begin(sendingTo(collector, { ...more }))
  const origins = await postern.ready()
  const read = () => call(`${origins.operator_url}/operator/deliveries`, 'GET', { token: OPERATOR_TOKEN })
  for (let n = 0; n < 100; n++) assert.equal((await read()).status, 200)
  // What was sent first, and what waited meanwhile: the rest of 100 is dropped.
  await collector.when(() => collector.bodies.length >= 2)
  const counts = collector.bodies.map((body) => spansOf(body).length)
  assert.ok(Math.max(...counts) <= 10 && counts.reduce((sum, one) => sum + one) < 100, String(counts))
  await postern.logged(/^the collector does not take traces/)
  collector.is = 'up'
  assert.equal((await read()).status, 200)
  await postern.logged(/^the collector takes traces again$/)
  const away = postern.lines.filter(({ msg }) => /^the collector does not take traces/.test(msg))
  assert.deepEqual(
    away.map(({ level }) => level),
    [40],
  )

  collector.is = 'hang'
  const seen = collector.headers.length
  assert.equal((await read()).status, 200)
  await collector.when(() => collector.headers.length > seen)
  const began = process.hrtime.bigint()
  assert.equal(await postern.end('SIGTERM'), 0)
  assert.ok(process.hrtime.bigint() - began < 8_000_000_000n)
})

const MAIN = resolve(import.meta.dirname, '../../src/main.js')

/** Names in a file what a process loads of OpenTelemetry; what it asks for of \`MISSING\` is not there. */
const HOOK = `import { appendFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
const { LOADED, MISSING } = process.env
registerHooks({
  resolve(specifier, context, next) {
    if (MISSING && specifier.startsWith(MISSING)) throw Object.assign(new Error('not there'), { code: 'ERR_MODULE_NOT_FOUND' })
    const found = next(specifier, context)
    if (/opentelemetry|open-telemetry/.test(found.url)) appendFileSync(LOADED, found.url + '\\n')
    return found
  },
})
`

/** Starts from the sources, with the hook. */
async function watched(environment: Record<string, string>) {
  const [hook, loaded] = [join(folder(), 'hook.mjs'), join(folder(), 'loaded')]
  await writeFile(hook, HOOK)
  await writeFile(loaded, '')
  const postern = begin({ POSTERN_DATABASE_URL: 'sqlite::memory:', LOADED: loaded, ...environment }, ['--import', hook, MAIN])
  return { postern, loaded: async () => (await readFile(loaded, 'utf8')).split('\n').filter(Boolean) }
}

test('without an exporter nothing of OpenTelemetry is loaded', async () => {
  await using to = await startReceiver([demo.secret])
  const without = await watched({})
  const origins = await without.postern.ready()
  await subscribe(origins, to.url, '101')
  assert.equal((await publish(origins, messages('101', 1))).status, 202)
  await to.when(() => to.events.length === 1)
  assert.equal(await without.postern.end('SIGTERM'), 0)
  assert.deepEqual(await without.loaded(), [])

  await using collector = await startCollector()
  const { postern, loaded } = await watched(sendingTo(collector))
  await postern.ready()
  assert.ok((await loaded()).length > 10, 'the hook sees what is loaded')
})

test('without the packages a configured exporter is refused, with the command that installs them', async () => {
  const { postern } = await watched({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', MISSING: '@opentelemetry/' })
  await assert.rejects(postern.ready())
  assert.equal(postern.child.exitCode, 1)
  assert.match(
    postern.stderr,
    /OpenTelemetry name a collector, for which Postern needs packages that are not there: install them beside postern \(npm install @opentelemetry\/exporter-metrics-otlp-proto @opentelemetry\/exporter-trace-otlp-proto @opentelemetry\/resources @opentelemetry\/sdk-metrics @opentelemetry\/sdk-trace\), or set OTEL_SDK_DISABLED=true/,
  )
})
