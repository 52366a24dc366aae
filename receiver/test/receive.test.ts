import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { listen } from './stage/receivers.ts'
import { eventText, OTHER_SECRET, SECRET, signed } from './stage/signed.ts'

const COMMAND = fileURLToPath(new URL('../scripts/receive.ts', import.meta.url))
const TOKEN = '9dXb0-fYtq3yG2_kVJpQm1RzW7cLhN5s'

type Line = Record<string, unknown>

/** What Node compiles is kept for the next start. */
const { NODE_COMPILE_CACHE } = process.env

function command(args: string[], env: Record<string, string> = {}): ChildProcess {
  const options = { env: { NODE_COMPILE_CACHE, ...env } as NodeJS.ProcessEnv }
  return spawn(process.execPath, [COMMAND, ...args], { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
}

/** The command, listening on a free port; `line()` is what it prints next. */
async function started(args: string[], env: Record<string, string> = {}) {
  const child = command(args, env)
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]()
  const line = async (): Promise<Line> => JSON.parse((await lines.next()).value ?? '{"msg":"ended"}')
  const { msg, url } = await line()
  assert.equal(msg, 'listening')
  const end = async (signal: NodeJS.Signals) => {
    const exited = once(child, 'exit')
    child.kill(signal)
    return (await exited)[0]
  }
  const dispose = async () => void (child.exitCode === null && (await end('SIGKILL')))
  return { url: String(url), line, end, [Symbol.asyncDispose]: dispose }
}

const post = (url: string, body: string, secret = SECRET) =>
  fetch(url, { method: 'POST', body, headers: { 'x-service-webhooks-signature': signed(body, secret) } })

test('prints one JSON line per log entry and event, in order', async () => {
  await using receiver = await started(['--port', '0', '--secret', SECRET])
  const { url, line } = receiver
  assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/webhook$/)
  const challenge = await fetch(`${url}?crc_token=${TOKEN}`)
  assert.deepEqual(await challenge.json(), { response_token: signed(TOKEN) })
  assert.deepEqual(await line(), { msg: 'challenge answered' })
  for (const _ of [1, 2]) assert.equal((await post(url, eventText('12'))).status, 200)
  assert.deepEqual(await line(), { msg: 'event', event: JSON.parse(eventText('12')) })
  assert.deepEqual(await line(), { msg: 'duplicate dropped', event_uuid: '12' })
  assert.equal((await post(new URL('/any/path', url).href, eventText('13'), 'wrong')).status, 401)
  const rejected = await line()
  assert.equal(rejected.msg, 'rejected')
  assert.match(String(rejected.reason), /signature/)
})

test('reads port and secret from the environment; arguments take precedence', async () => {
  const env = { PORT: '0', POSTERN_CONSUMER_SECRET: SECRET }
  await using fromEnvironment = await started([], env)
  assert.equal((await post(fromEnvironment.url, eventText('1'))).status, 200)
  await using fromArguments = await started(['--port', '0', '--secret', OTHER_SECRET, '--secret', 'a third'], { ...env, PORT: 'none' })
  assert.equal((await post(fromArguments.url, eventText('1'))).status, 401)
  assert.equal((await post(fromArguments.url, eventText('1'), OTHER_SECRET)).status, 200)
  assert.equal((await post(fromArguments.url, eventText('2'), 'a third')).status, 200)
})

test("uses the demo app's secret by default", async () => {
  const seed = JSON.parse(readFileSync(new URL('../../server/seeds/demo.json', import.meta.url), 'utf8'))
  await using receiver = await started(['--port', '0'])
  assert.equal((await post(receiver.url, eventText('1'), seed.apps[0].consumer_secret)).status, 200)
})

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`${signal} closes and exits 0, even with a body half sent and a connection idle`, async () => {
    await using receiver = await started(['--port', '0', '--secret', SECRET])
    const halfSent = connect(Number(new URL(receiver.url).port), '127.0.0.1')
    halfSent.on('error', () => {})
    halfSent.write(`POST / HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\nx-service-webhooks-signature: x\r\ncontent-length: 9\r\n\r\n{`)
    await once(halfSent, 'data')
    await post(receiver.url, eventText('1'))
    const closed = once(halfSent, 'close')
    assert.equal(await receiver.end(signal), 0)
    await closed
  })
}

test('says what is wrong, and exits 1', async () => {
  await using taken = await listen(() => {})
  const wrong: [string[], RegExp][] = [
    [['--port', String(taken.port), '--secret', SECRET], /Port \d+ is already in use: .*--port/],
    [['--port', '65536'], /port must be a number/],
    [['--secret', ''], /--secret must not be empty/],
    [['--prot', '0'], /--prot.*[\s\S]*npm run receive -- /],
  ]
  for (const [args, words] of wrong) {
    const child = command(args)
    const [said, [code]] = await Promise.all([text(child.stderr!), once(child, 'exit')])
    assert.match(said, words)
    assert.doesNotMatch(said, /\n {4}at /)
    assert.equal(code, 1)
  }
})

test('--help prints the options and exits 0', async () => {
  const child = command(['--help'])
  const [said, [code]] = await Promise.all([text(child.stdout!), once(child, 'exit')])
  assert.match(said, /--port[\s\S]*--secret/)
  assert.equal(code, 0)
})
