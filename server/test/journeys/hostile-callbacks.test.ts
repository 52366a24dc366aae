import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { startSocketServer } from '../stage/callback-servers.ts'
import { watchClientSockets } from '../stage/client-sockets.ts'
import { databasesOf } from '../stage/databases.ts'
import { ends, floods, type Hostility, resets, says } from '../stage/hostile-sockets.ts'
import { demoApp, setStage } from '../stage/postern.ts'
import { startReceiver } from '../stage/receiver.ts'

const HEAD = 'HTTP/1.1 200 OK\r\n'
const CHUNKED = `${HEAD}transfer-encoding: chunked\r\n\r\n`

interface Hostile {
  does: Hostility
  /** What the attempt and the challenge are told. */
  says: RegExp
  /** It leaves the request hanging, once this has happened as often as there are requests. */
  hangsAfter?: 'bytes' | 'headers'
  scheme?: 'https'
}

const waiting = /timed out after \d+ ms while waiting for the answer's headers from/
const reading = /timed out after \d+ ms while reading the answer's body from/

const HANGING: Record<string, Hostile> = {
  silent: { does: says(''), says: waiting, hangsAfter: 'bytes' },
  'half-status': { does: says('HTTP/1.1 2'), says: waiting, hangsAfter: 'bytes' },
  'half-headers': { does: says(`${HEAD}x-ha`), says: waiting, hangsAfter: 'bytes' },
  interim: { does: says('HTTP/1.1 103 Early Hints\r\n\r\n'), says: waiting, hangsAfter: 'headers' },
  'half-body': { does: says(`${HEAD}content-length: 100\r\n\r\nhalf`), says: reading, hangsAfter: 'headers' },
  'half-chunk': { does: says(`${CHUNKED}5;${'x'.repeat(5000)}\r\nha`), says: reading, hangsAfter: 'headers' },
  'no-length': { does: says(`${HEAD}\r\nendless`), says: reading, hangsAfter: 'headers' },
  'silent-tls': { does: says(''), says: /doing the TLS handshake with/, hangsAfter: 'bytes', scheme: 'https' },
}

const FAILING: Record<string, Hostile> = {
  interims: { does: floods('', 'HTTP/1.1 103 Early Hints\r\n\r\n'), says: /are longer than 16 KB/ },
  headers: { does: floods(HEAD, 'a:\r\n'), says: /are longer than 16 KB/ },
  status: { does: floods('HTTP/1.1 500 ', 'a'), says: /are longer than 16 KB/ },
  banner: { does: says('SSH-2.0-OpenSSH_9.9\r\n'), says: /is not valid HTTP\/1\.1: it does not begin with HTTP\// },
  upgrade: { does: says('HTTP/1.1 101 Switching Protocols\r\n\r\n'), says: /is not valid HTTP\/1\.1/ },
  closing: { does: says('', ends), says: /was closed by 127\.0\.0\.1:\d+ before an answer came/ },
  resetting: {
    does: says(`${HEAD}content-length: 9\r\n\r\nhalf`, resets),
    says: /was closed by 127\.0\.0\.1:\d+ in the middle of the answer/,
  },
  'plain-tls': { does: says('HTTP/1.1 400 Bad Request\r\n\r\n'), says: /what answers there does not speak TLS/, scheme: 'https' },
}

/** Counts the sockets of this process that have received something, by the port that they are connected to. */
function countAnswered() {
  const client = watchClientSockets()
  const of = (port: number) => client.sockets.filter(({ remotePort, bytesRead }) => remotePort === port && bytesRead > 0).length
  return { of, [Symbol.dispose]: () => client[Symbol.dispose]() }
}

interface HostileCallback {
  name: string
  url: string
  port: number
  hostile: Hostile
  /** How many callbacks its server has. */
  copies: number
  /** How many requests or handshakes have begun there, over all callbacks of the server. */
  asked: () => number
}

/** A server for each, each with as many callbacks as there are `copies`. */
async function startHostiles(hostiles: Record<string, Hostile>, copies: number) {
  await using started = new AsyncDisposableStack()
  const callbacks: HostileCallback[] = []
  for (const [name, hostile] of Object.entries(hostiles)) {
    let asked = 0
    const does = (socket: Socket) => {
      socket.once('data', () => (asked += 1))
      hostile.does(socket)
    }
    const server = started.use(await startSocketServer(does))
    for (let copy = 0; copy < copies; copy++) {
      callbacks.push({
        name,
        hostile,
        port: server.port,
        copies,
        url: `${hostile.scheme ?? 'http'}://127.0.0.1:${server.port}/${name}/${copy}`,
        asked: () => asked,
      })
    }
  }
  const owned = started.move()
  return { callbacks, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

/** Whether each has got as far with so many requests as it ever will. */
const areHanging = (hostiles: readonly HostileCallback[], answered: { of(port: number): number }, requests: number) =>
  hostiles.every(({ hostile: { hangsAfter }, port, asked, copies }) => {
    if (hangsAfter === 'headers') return answered.of(port) === requests * copies
    return hangsAfter === undefined || asked() === requests * copies
  })

const app = { ...demoApp, webhook_limit: 100 }

for (const flavour of databasesOf(import.meta)) {
  test(`${flavour}: the worst callbacks delay no other, cost a deadline each, and have the right message in the attempt log`, async () => {
    await using stage = await setStage({
      flavour,
      seed: { apps: [app] },
      environment: { POSTERN_RETRY_PLAN: '1h', POSTERN_CALLBACK_TIMEOUT: '60s' },
    })
    await using receiver = await startReceiver([app.consumer_secret])
    await using hanging = await startHostiles(HANGING, 3)
    await using failing = await startHostiles(FAILING, 1)
    using answered = countAnswered()
    const hostile = [...hanging.callbacks, ...failing.callbacks].map((callback, n) => ({ ...callback, id: String(1000 + n) }))
    const webhooks = [{ id: '1', url: receiver.url }, ...hostile].map(({ id, url }) => ({
      id,
      url,
      consumer_key: app.consumer_key,
      valid: true,
    }))
    const subscriptions = webhooks.map(({ id }) => ({
      consumer_key: app.consumer_key,
      event_type: 'dm.received',
      filter: { user_id: '101' },
      webhook_id: id,
    }))
    assert.equal((await stage.operator('POST', '/operator/seed', { webhooks, subscriptions })).status, 200)

    await stage.publish({ long: 'x'.repeat(200_000) }, ...Array.from({ length: 9 }, (_, n) => ({ n })))
    await receiver.received(10)
    /** Resolves with the attempts of a webhook once there are so many; each must say its word. */
    const attempted = (count: number) => async (webhook: HostileCallback & { id: string }) => {
      const attempts = await stage.until(async () => {
        const { body } = await stage.operator('GET', `/operator/deliveries?webhook_id=${webhook.id}`)
        const found: { error: string }[] = body.data.flatMap((delivery: { attempts: unknown[] }) => delivery.attempts)
        return found.length >= count && found
      })
      assert.ok(count > 0 || attempts.length === 0, `${webhook.name} has not been left hanging`)
      for (const { error } of attempts) assert.match(error, webhook.hostile.says, webhook.name)
    }
    const [hangs, fails] = [hostile.filter((one) => one.hostile.hangsAfter), hostile.filter((one) => !one.hostile.hangsAfter)]
    await Promise.all(fails.map(attempted(10)))
    await stage.until(async () => areHanging(hangs, answered, 4))
    await Promise.all(hangs.map(attempted(0)))
    stage.clock.advance(60_000)
    await Promise.all(hangs.map(attempted(4)))
  })
}

test('a challenge of the worst callbacks ends after 3 s with the same messages', async () => {
  await using stage = await setStage({ seed: { apps: [app] }, environment: { POSTERN_RATE_LIMITS: 'off' } })
  await using hanging = await startHostiles(HANGING, 1)
  await using failing = await startHostiles(
    { ...FAILING, endless: { does: floods(CHUNKED, '5\r\nhello\r\n'), says: /the answer is longer than 16 KB/ } },
    1,
  )
  using answered = countAnswered()
  const token = await stage.token()
  const register = ({ url, hostile }: HostileCallback) => {
    const registering = { isOver: false, hostile, answer: stage.api('POST', '/2/webhooks', { token, json: { url } }) }
    registering.answer.then(() => (registering.isOver = true))
    return registering
  }
  const failed = failing.callbacks.map(register)
  const hung = hanging.callbacks.map(register)
  await Promise.all(failed.map(({ answer }) => answer))
  await stage.until(() => areHanging(hanging.callbacks, answered, 1))
  stage.clock.advance(1_500)
  assert.equal((await stage.api('GET', '/2/webhooks', { token })).body.meta.result_count, 0)
  assert.ok(hung.every(({ isOver }) => !isOver))
  stage.clock.advance(1_500)
  for (const { answer, hostile } of [...failed, ...hung]) {
    const { status, body } = await answer
    assert.equal(status, 400)
    assert.match(body.errors[0].message, /^CrcValidationFailed: /)
    assert.match(body.errors[0].message, hostile.says)
  }
})
