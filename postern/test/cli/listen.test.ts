import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { buffer } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { demoApp, type Stage, setStage } from '../../../server/test/stage/postern.ts'
import { writeExactJson } from '../../src/cli/exact-json.ts'
import { endCommands, runCommand, startCommand } from './command.ts'

after(endCommands)

let stage: Stage
let folder: string
let seed: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postern-listen-'))
  seed = join(folder, 'seed.json')
  const tokens = ['101', '102'].map((id) => ({
    consumer_key: demoApp.consumer_key,
    user_id: id,
    oauth_token: `${id}-token-of-the-tests`,
    oauth_token_secret: `${id}-secret-of-the-tests`,
  }))
  const users = [
    { id: '101', username: 'ada', name: 'Ada' },
    { id: '102', username: 'grace', name: 'Grace' },
  ]
  const document = { apps: [{ ...demoApp, permissions: 'read_write_dm' as const }], users, tokens }
  await writeFile(seed, JSON.stringify(document), { mode: 0o600 })
  stage = await setStage({ seed: document, environment: { POSTERN_RATE_LIMITS: 'off' } })
})
after(async () => {
  for (const child of running) child.kill('SIGKILL')
  await stage[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

const running = new Set<ChildProcess>()

/** `postern listen` in a process of its own, with the documents that it writes. */
async function listen(...args: string[]) {
  const child = startCommand(['listen', '--json', '--seed', seed, ...args], { url: stage.origins.base_url })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const complaints = child.stderr.toArray()
  const next = async () => {
    const { value, done } = await lines.next()
    // biome-ignore lint/suspicious/noExplicitAny: documents have members of every kind
    return done ? assert.fail((await complaints).join('')) : (JSON.parse(value) as any)
  }
  const end = async (signal: NodeJS.Signals) => {
    const ended = once(child, 'exit')
    child.kill(signal)
    return ended
  }
  running.add(child)
  child.once('exit', () => running.delete(child))
  let listening = await next()
  // Challenges that are passed on come before.
  while (listening.msg === 'challenge') listening = await next()
  return { next, end, listening }
}

/** A server that keeps what came, and answers with a status. */
async function startTarget(status: number) {
  const came: { method: string; url: string; headers: IncomingHttpHeaders; body: Buffer }[] = []
  const server = createServer(async (request, response) => {
    came.push({ method: request.method!, url: request.url!, headers: request.headers, body: await buffer(request) })
    const token = new URL(request.url!, 'http://localhost').searchParams.get('crc_token')
    const signature = createHmac('sha256', demoApp.consumer_secret)
      .update(token ?? '')
      .digest('base64')
    response.writeHead(token === null ? status : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ response_token: `sha256=${signature}` }))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    came,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?own=1`,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      }),
  }
}

const webhooks = async () => (await stage.operator('GET', '/operator/webhooks')).body.data as { id: string; url: string }[]

test('an event is passed on byte for byte with its signature, and Ctrl-C removes the webhook', async () => {
  await using target = await startTarget(200)
  const { next, end, listening } = await listen('--forward', target.url)
  assert.deepEqual([listening.msg, listening.forward], ['listening', target.url])
  assert.deepEqual(
    (await webhooks()).map(({ id }) => id),
    [listening.webhook_id],
  )
  const { stdout } = await runCommand(['trigger', 'dm.received', '--to', 'ada', '--text', 'Grüße 😀', '--json'], {
    url: stage.origins.base_url,
  })
  const { data, deliveries } = JSON.parse(stdout)
  assert.equal(deliveries[0].outcome, 'delivered')
  const seen = await next()
  assert.deepEqual([seen.msg, seen.event.data.event_uuid, seen.status], ['event', data.event_uuid, 200])
  const [passed] = target.came
  assert.deepEqual([target.came.length, passed!.method, passed!.url], [1, 'POST', '/hook?own=1'])
  const signature = createHmac('sha256', demoApp.consumer_secret).update(passed!.body).digest('base64')
  assert.equal(passed!.headers['x-service-webhooks-signature'], `sha256=${signature}`)
  assert.deepEqual([passed!.headers['content-type'], passed!.headers['user-agent']], ['application/json', 'Postern'])
  assert.deepEqual(await end('SIGINT'), [0, null])
  assert.deepEqual(await webhooks(), [])
})

test('an answer of the URL is that of the callback, and a URL that is gone is one that answered 502', async () => {
  const target = await startTarget(503)
  const { next, end } = await listen('--forward', target.url, '--events', 'dm.received')
  const trigger = async () =>
    JSON.parse((await runCommand(['trigger', 'dm.received', '--to', 'ada', '--json'], { url: stage.origins.base_url })).stdout)
  const refused = await trigger()
  assert.deepEqual([refused.deliveries[0].outcome, refused.deliveries[0].status], ['failed', 503])
  assert.equal((await next()).status, 503)
  await target[Symbol.asyncDispose]()
  assert.equal((await trigger()).deliveries[0].status, 502)
  const seen = await next()
  assert.deepEqual([seen.status, /ECONNREFUSED/.test(seen.error)], [502, true])
  assert.deepEqual(await end('SIGTERM'), [0, null])
})

test('challenges are answered by the URL if that is wanted, with its own query kept', async () => {
  await using target = await startTarget(200)
  const { end, listening } = await listen(
    '--forward',
    target.url,
    '--forward-challenges',
    '--events',
    'dm.received,follow.follow',
    '--user',
    'grace',
  )
  assert.match(target.came[0]!.url, /^\/hook\?own=1&crc_token=[^&]+&nonce=/)
  assert.deepEqual(
    listening.subscriptions,
    ['dm.received', 'follow.follow'].map((event_type) => ({ event_type, filter: { user_id: '102' } })),
  )
  await end('SIGINT')
})

test('what is listened to is counted in words', async () => {
  const first = async (events: string) => {
    const child = startCommand(['listen', '--seed', seed, '--user', 'ada', '--events', events], { url: stage.origins.base_url })
    running.add(child)
    const { value } = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next()
    const ended = once(child, 'exit')
    child.kill('SIGINT')
    await ended
    running.delete(child)
    return value as string
  }
  assert.match(await first('dm.received'), / has 1 subscription; its events/)
  assert.match(await first('dm.received,follow.follow'), / has 2 subscriptions; its events/)
})

test('a webhook that a killed process left behind is removed by the next', async () => {
  const killed = await listen('--events', 'dm.received')
  await killed.end('SIGKILL')
  assert.equal((await webhooks()).length, 1)
  const { end, listening } = await listen('--events', 'dm.received')
  assert.deepEqual(
    (await webhooks()).map(({ id }) => id),
    [listening.webhook_id],
  )
  await end('SIGINT')
})

test('what cannot be subscribed to ends it and leaves no webhook: with 2 what is no event type, with 1 what the server refuses', async () => {
  const run = (...args: string[]) => runCommand(['listen', '--seed', seed, ...args], { url: stage.origins.base_url })
  const unknown = await run('--events', 'lunch.eaten')
  assert.deepEqual([unknown.code, unknown.stdout], [2, ''])
  assert.match(unknown.stderr, /^lunch\.eaten is no event type\./)
  assert.equal((await run('--events', 'news.new')).code, 1)
  const notGranted = await run('--events', 'dm.received', '--user', '999')
  assert.equal(notGranted.code, 1)
  assert.deepEqual(await webhooks(), [])
})

test('when the server does not know the app it says which seed to name', async () => {
  const { code, stderr } = await runCommand(['listen'], { url: stage.origins.base_url })
  assert.equal(code, 1)
  assert.match(stderr, /does not know the app Demo with this secret: name the seed that it was started with \(--seed\)/)
})

test('numbers of an event are shown with all their digits, also where a text was expected', async () => {
  const child = startCommand(['listen', '--seed', seed, '--events', 'dm.received'], { url: stage.origins.base_url })
  running.add(child)
  child.once('exit', () => running.delete(child))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const [, callback] = /\((http\S+)\)/.exec((await lines.next()).value!)!
  const event = { data: { event_uuid: 12_345_678_901_234_567_890n, payload: { id: 9_007_199_254_740_993n } } }
  await fetch(callback!, { method: 'POST', body: writeExactJson(event) })
  assert.match((await lines.next()).value!, / event {2}200 in \d+ ms$/)
  let shown = ''
  while (!shown.endsWith('\n}\n')) shown += `${(await lines.next()).value}\n`
  assert.equal(shown, `${writeExactJson(event, 2)}\n`)
  const ended = once(child, 'exit')
  child.kill('SIGINT')
  assert.deepEqual(await ended, [0, null])
})

test('without --forward the events are shown with what they carry', async () => {
  const child = startCommand(['listen', '--seed', seed, '--events', 'dm.received'], { url: stage.origins.base_url })
  running.add(child)
  child.once('exit', () => running.delete(child))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  await lines.next()
  await runCommand(['trigger', 'dm.received', '--to', 'ada', '--text', 'Hello out there'], { url: stage.origins.base_url })
  assert.match(String((await lines.next()).value), /dm\.received \d+ {2}200 in \d+ ms$/)
  let shown = ''
  while (!shown.endsWith('\n}\n')) shown += `${(await lines.next()).value}\n`
  assert.equal(JSON.parse(shown).data.payload.direct_message_events[0].message_create.message_data.text, 'Hello out there')
  const ended = once(child, 'exit')
  child.kill('SIGINT')
  assert.deepEqual(await ended, [0, null])
})
