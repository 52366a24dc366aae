import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSender } from '../../src/delivery/send/sender.ts'
import { createClock } from '../../src/lib/clock.ts'
import { startCallback, startNameServer } from '../stage/callback-servers.ts'
import { startFullListener } from '../stage/full-listener.ts'
import { turn } from '../stage/sending.ts'
import { watchTcpConnects } from '../stage/tcp-connects.ts'

interface Sending {
  /** What its name server never answers questions for. */
  silentFor?: 'A' | 'AAAA'
  timeoutMs?: number
}

/** What a GET to a name with these addresses comes to, when a callback listens on one of them. */
async function sendTo(addresses: readonly string[], listening: string, { silentFor, timeoutMs = 20_000 }: Sending = {}) {
  await using callback = await startCallback((_request, response) => void response.end(), { host: listening })
  const port = new URL(callback.origin.replace('::1', '[::1]')).port
  await using names = await startNameServer({ 'several.test': [...addresses] }, 1, silentFor)
  const sender = createSender({ clock: createClock(), allow: ['127.0.0.0/8', '::1/128'], refuse: () => [], resolver: [names.address] })
  const outcome = await sender.send({ method: 'GET', to: `http://several.test:${port}/`, headers: [], timeoutMs })
  await sender.close()
  return outcome.kind === 'answered' ? outcome.status : outcome.message
}

test('of several addresses, of either family, each is tried until one accepts the connection', async () => {
  assert.equal(await sendTo(['127.0.0.3', '127.0.0.4'], '127.0.0.4'), 200)
  assert.equal(await sendTo(['127.0.0.3', '::1'], '::1'), 200)
  assert.equal(await sendTo(['127.0.0.3', '::1'], '127.0.0.3'), 200)
})

test('if none of several addresses accepts the connection, all are named', async () => {
  assert.match(
    String(await sendTo(['127.0.0.3', '::1'], '127.0.0.5')),
    /^the connection was refused by several\.test \(127\.0\.0\.3:\d+ and \[::1\]:\d+\): nothing listens there$/,
  )
})

test('a name server that never answers for one family keeps no request from the addresses of the other', async () => {
  // It would be asked again for ten seconds.
  const timeoutMs = 3_000
  assert.equal(await sendTo(['127.0.0.3'], '127.0.0.3', { silentFor: 'AAAA', timeoutMs }), 200)
  assert.equal(await sendTo(['::1'], '::1', { silentFor: 'A', timeoutMs }), 200)
})

test('an address that answers the second SYN, which the system sends after a second, is not given up before', async () => {
  await using listener = await startFullListener('127.0.0.3')
  await using names = await startNameServer({ 'several.test': ['127.0.0.3', '127.0.0.4'] })
  const sender = createSender({ clock: createClock(), allow: ['127.0.0.0/8'], refuse: () => [], resolver: [names.address] })
  using connects = watchTcpConnects()
  const sent = sender.send({ method: 'GET', to: `http://several.test:${listener.port}/`, headers: [], timeoutMs: 20_000 })
  while (connects.tried().length === 0) await turn()
  listener.accept()
  const outcome = await sent
  await sender.close()
  assert.deepEqual([outcome.kind === 'answered' && outcome.status, connects.tried().length], [200, 1])
})
