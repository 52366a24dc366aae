import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { pino } from 'pino'
import { generalAreaOf } from '../../src/api/areas.ts'
import { hostLimits } from '../../src/api/declare/host-limits.ts'
import { fallbacksOf } from '../../src/api/http/fallbacks.ts'
import { createHost } from '../../src/api/http/http.ts'
import { createLimitedServer } from '../../src/api/http/limited-server.ts'
import { openListeners } from '../../src/api/http/listeners.ts'
import { createDrain } from '../../src/assemble/drain.ts'
import { openWith, untilClosed } from '../stage/hostile/bare-host.ts'

const GET = 'GET /2/thing HTTP/1.1\r\nHost: a\r\n\r\n'

async function hostWith(headers: Record<string, string>) {
  const lines: string[] = []
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line).msg) })
  const route = { path: '/2/thing', methods: ['GET'], bodyLimitBytes: 0, respond: async () => ({ status: 200, headers, body: 'a thing' }) }
  const host = createHost([route], fallbacksOf({ problemBaseUrl: '' }, generalAreaOf), log)
  return { host, lines, [Symbol.asyncDispose]: () => host.close() }
}

test('an answer that cannot be sent ends its connection, and is logged', async () => {
  await using it = await hostWith({ 'x-broken': 'a\nb' })
  const port = await it.host.listen(0, '127.0.0.1')
  assert.deepEqual(await untilClosed(openWith(`http://127.0.0.1:${port}`, GET)), [])
  assert.deepEqual(it.lines, ['unhandled error in a request'])
})

test('a host that never listened closes', async () => {
  await using _ = await hostWith({})
})

test('connections of every address are of one server with its limits; an address that cannot be had is left out', async () => {
  const server = createLimitedServer({ ...hostLimits, connections: 1 }, false).on('request', (_, response) => response.end('a thing'))
  const listeners = await openListeners(server, 0, ['127.0.0.1', '127.0.0.2', '192.0.2.1'])
  const origins = ['127.0.0.1', '127.0.0.2'].map((address) => `http://${address}:${listeners.port}`)
  for (const origin of origins) assert.equal(await (await fetch(origin, { headers: { connection: 'close' } })).text(), 'a thing')
  const [held] = origins.map((origin) => openWith(origin, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'))
  await new Promise((resolve) => held!.once('data', resolve))
  await listeners.close()
  for (const origin of origins) await assert.rejects(fetch(origin), /fetch failed/)
})

test('the first address must be had', async () => {
  await assert.rejects(openListeners(createLimitedServer(hostLimits, false), 0, ['192.0.2.1', '127.0.0.1']), { code: 'EADDRNOTAVAIL' })
})

test('a listener that closes while an answer is streamed ends the connection with the answer', async () => {
  const begun = Promise.withResolvers<void>()
  const pieces = async function* () {
    yield Buffer.from('a ')
    await begun.promise
    yield Buffer.from('thing')
  }
  const answer = () => ({ status: 200, headers: { 'content-length': '7' }, body: '', stream: Readable.from(pieces()) })
  const route = { path: '/2/thing', methods: ['GET'], bodyLimitBytes: 0, respond: async () => answer() }
  const limits = { ...hostLimits, drainMs: 3_600_000 }
  const host = createHost([route], fallbacksOf({ problemBaseUrl: '' }, generalAreaOf), pino({ level: 'silent' }), { limits })
  const port = await host.listen(0, '127.0.0.1')
  const client = openWith(`http://127.0.0.1:${port}`, GET)
  await once(client, 'data')
  const answers = untilClosed(client)
  const closed = host.close()
  begun.resolve()
  await answers.catch(() => {})
  await closed
})

test('while a process drains connections are kept, and at the end of the drain each answer is the last of its connection', async () => {
  await using it = await hostWith({})
  const port = await it.host.listen(0, '127.0.0.1')
  const connectionOf = async () => {
    const [answer] = await once(request({ port, path: '/2/thing', agent }).end(), 'response')
    answer.resume()
    await once(answer, 'end')
    return [answer.statusCode, answer.headers.connection]
  }
  const steps: string[] = []
  const hosts = {
    isOpen: () => true,
    drain: () => void steps.push('is not ready'),
    endConnections() {
      steps.push('ends connections')
      it.host.endConnections()
    },
  }
  const { drain, endDrain } = createDrain(3_600_000, hosts, async () => steps.push('ends streams'))
  const agent = new Agent({ keepAlive: true })
  const drained = drain()
  assert.deepEqual(await connectionOf(), [200, 'keep-alive'])
  assert.deepEqual(steps, ['is not ready'])
  endDrain()
  await drained
  assert.deepEqual(steps, ['is not ready', 'ends connections', 'ends streams'])
  assert.deepEqual(await connectionOf(), [200, 'close'])
  agent.destroy()
})
