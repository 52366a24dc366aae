import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VERSION } from '../../src/lib/version.ts'
import { call } from '../stage/call.ts'
import { startCollector } from '../stage/collector.ts'
import { migratedDatabase } from '../stage/database.ts'
import { demo, messages, subscribe } from '../stage/demo-client.ts'
import type { CollectedHistogram, CollectedSpan } from '../stage/otlp.ts'
import { OPERATOR_TOKEN } from '../stage/postern.ts'
import type { PosternProcess } from '../stage/postern-process.ts'
import { answerWith, startReceiver } from '../stage/receiver.ts'
import { scrape } from '../stage/scrape.ts'
import { sendingTo, setProcesses } from '../stage/telemetry.ts'

const INCOMING = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

const { begin } = setProcesses()

const receiver = () => startReceiver([demo.secret])

/** The number that every line has, once the process has one. */
function workerOf({ lines }: PosternProcess): number {
  const { worker } = lines.find(({ msg }) => msg === 'ready')
  assert.equal(typeof worker, 'number')
  assert.deepEqual([...new Set(lines.slice(lines.findIndex((line) => 'worker' in line)).map((line) => line.worker))], [worker])
  return worker
}

/** What of a span the test writes out: its id and its parent's are named by the first span that has them. */
function treeOf(
  spans: readonly CollectedSpan[],
  known: Record<string, string>,
  workers: Record<string, string>,
): Record<string, unknown>[] {
  const names = new Map(Object.entries(known))
  for (const { spanId, name, attributes } of spans) names.set(spanId, name === 'POST' ? `attempt ${attributes['postern.attempt']}` : name)
  return spans.map(({ spanId, parentId, kind, failed, attributes, resource }) => ({
    span: names.get(spanId),
    parent: names.get(parentId) ?? parentId,
    kind,
    ...(failed !== undefined && { failed }),
    attributes,
    process: workers[String(resource['service.instance.id'])],
  }))
}

test('a call, its append, its delivery and the attempts of two processes are one trace', async () => {
  await using collector = await startCollector()
  await using to = await receiver()
  await using database = await migratedDatabase('postgres')
  const environment = sendingTo(collector, { POSTERN_DATABASE_URL: database.url, POSTERN_RETRY_PLAN: '3s', POSTERN_LOG_LEVEL: 'debug' })
  const [first, second] = [begin(environment), begin(environment)]
  const [origins] = await Promise.all([first.ready(), second.ready()])
  const webhookId = await subscribe(origins, to.url, '101')
  // The retry may fall due before the first process has ended.
  to.intercept = (_, response) => to.posts === 1 && answerWith(response, 503)
  const published = await call(`${origins.operator_url}/operator/events`, 'POST', {
    token: OPERATOR_TOKEN,
    headers: { traceparent: INCOMING },
    json: { events: [{ event_type: 'dm.received', user_id: '101', payload: { text: 'nobody reads this' } }] },
  })
  assert.equal(published.status, 202, published.text)
  const [{ event_uuid: eventUuid }] = published.body.data
  assert.equal(
    (await call(`${origins.operator_url}/operator/events?secret=in-the-query`, 'POST', { token: OPERATOR_TOKEN, json: { events: [] } }))
      .status,
    400,
  )
  const ofTrace = () => collector.spans.filter(({ traceId }) => traceId === '0af7651916cd43dd8448eb211c80319c')
  await to.when(() => to.posts === 1)
  assert.equal(await first.end('SIGTERM'), 0)

  await collector.when(() => ofTrace().some(({ name }) => name === 'deliver'))
  assert.equal(await second.end('SIGTERM'), 0)

  const about = {
    'postern.event_uuid': eventUuid,
    'postern.event_type': 'dm.received',
    'postern.webhook_id': webhookId,
    'postern.app_id': '1',
  }
  const attempt = { ...about, 'http.request.method': 'POST' }
  const workers = { [workerOf(first)]: 'first', [workerOf(second)]: 'second' }
  const tree = treeOf(ofTrace(), { b7ad6b7169203331: 'the client' }, workers)
  assert.deepEqual(Object.fromEntries(tree.map(({ span, ...rest }) => [span, rest])), {
    'POST /operator/events': {
      parent: 'the client',
      kind: 'server',
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/operator/events',
        'http.response.status_code': 202,
        'postern.endpoint': 'publishEvents',
      },
      process: 'first',
    },
    append: {
      parent: 'POST /operator/events',
      kind: 'producer',
      attributes: { 'postern.events': 1, 'postern.event_uuid': eventUuid },
      process: 'first',
    },
    deliver: {
      parent: 'append',
      kind: 'consumer',
      attributes: { ...about, 'postern.outcome': 'delivered' },
      process: 'second',
    },
    'attempt 1': {
      parent: 'deliver',
      kind: 'client',
      failed: 'answered 503; any 2xx acknowledges an event',
      attributes: { ...attempt, 'http.response.status_code': 503, 'error.type': '503', 'postern.kind': 'live', 'postern.attempt': 1 },
      process: 'first',
    },
    'attempt 2': {
      parent: 'deliver',
      kind: 'client',
      attributes: { ...attempt, 'http.response.status_code': 200, 'postern.kind': 'retry', 'postern.attempt': 2 },
      process: 'second',
    },
  })
  assert.equal(tree.length, 5)
  const [delivery] = ofTrace().filter(({ name }) => name === 'deliver')
  const attempts = ofTrace().filter(({ name }) => name === 'POST')
  for (const { startMs, endMs } of attempts) assert.ok(delivery!.startMs <= startMs && endMs <= delivery!.endMs)

  const trace_id = '0af7651916cd43dd8448eb211c80319c'
  const linesOf = ({ lines }: PosternProcess, message: string) => lines.filter((line) => line.msg === message && line.trace_id === trace_id)
  assert.equal(linesOf(first, 'operator call')[0].endpoint, 'publishEvents')
  assert.equal(linesOf(first, 'attempt')[0].outcome, 'failed')
  assert.equal(linesOf(second, 'attempt')[0].outcome, 'delivered')

  const sent = Buffer.concat(collector.bodies).toString('latin1')
  for (const secret of ['nobody reads this', 'in-the-query', OPERATOR_TOKEN, demo.secret, to.url]) assert.ok(!sent.includes(secret), secret)
})

test('metrics are those of /metrics, and what a client does not sample is no span, nor is what it publishes', async () => {
  await using collector = await startCollector()
  await using to = await receiver()
  const resource = { OTEL_SERVICE_NAME: 'gate', OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=test' }
  const headers = { OTEL_EXPORTER_OTLP_HEADERS: 'api-key=of-the-collector', POSTERN_LOG_LEVEL: 'debug' }
  const postern = begin(sendingTo(collector, { ...resource, ...headers }))
  const origins = await postern.ready()
  await subscribe(origins, to.url, '101')
  const published = await call(`${origins.operator_url}/operator/events`, 'POST', {
    token: OPERATOR_TOKEN,
    headers: { traceparent: INCOMING.replace(/1$/, '0') },
    json: { events: messages('101', 2) },
  })
  assert.equal(published.status, 202)
  await to.when(() => to.events.length === 2)
  await postern.logged(/^attempt$/)
  const scraped = await scrape(origins.base_url)
  assert.equal(await postern.end('SIGTERM'), 0)

  const { metrics } = collector
  const known = Object.entries(scraped.types).map(([name, type]) => [name, type === 'COUNTER' ? 'sum' : type.toLowerCase()])
  assert.deepEqual(Object.fromEntries(metrics.map(({ name, type }) => [name, type])), Object.fromEntries(known))
  const of = (wanted: string) => metrics.find(({ name }) => name === wanted)!
  assert.deepEqual(of('postern_events_accepted_total').points, [{ attributes: {}, value: 2 }])
  assert.ok(of('postern_events_accepted_total').isMonotonic)
  const [delivered] = of('postern_attempt_duration_seconds').points.filter(({ attributes }) => attributes.outcome === 'delivered')
  const { count, sum, bounds, counts } = delivered!.value as CollectedHistogram
  assert.equal(count, 2)
  assert.ok(sum > 0 && sum < 60)
  assert.equal(
    counts.reduce((total, one) => total + one),
    2,
  )
  assert.equal(counts.length, bounds.length + 1)
  assert.deepEqual(of('process_resident_memory_bytes').resource, {
    'service.name': 'gate',
    'service.version': VERSION,
    'service.instance.id': '0',
    'deployment.environment': 'test',
  })
  assert.equal(collector.headers[0]!['api-key'], 'of-the-collector')
  assert.equal(postern.lines.find(({ msg }) => msg === 'attempt').trace_id, undefined)
  assert.deepEqual(
    collector.spans.map(({ name }) => name).filter((name) => !/webhooks|subscriptions/.test(name)),
    ['POST /oauth2/token'],
  )
})
