import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { call } from '../stage/call.ts'
import { demoToken } from '../stage/demo-client.ts'
import { pause } from '../stage/pause.ts'
import { OPERATOR_TOKEN } from '../stage/postern.ts'
import { PosternProcess } from '../stage/postern-process.ts'
import { connectTo } from '../stage/stream-client.ts'

let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postern-drain-'))
})
after(() => rm(folder, { recursive: true }))

/** A call on a connection that is kept; answers its status and what it says of the connection. */
const keptCall = (agent: Agent, url: string) =>
  new Promise<{ status: number | undefined; connection: string | undefined }>((resolve, reject) => {
    request(url, { agent }, (answer) => {
      answer.resume().once('end', () => resolve({ status: answer.statusCode, connection: answer.headers.connection }))
    })
      .on('error', reject)
      .end()
  })

/** Starts a process with a drain, with an app that has a stream open, and an operator feed. */
async function startFollowed(drain: string, name: string) {
  const postern = new PosternProcess({ POSTERN_DATABASE_URL: `sqlite:${name}.db`, POSTERN_DRAIN: drain }, folder)
  const origins = await postern.ready()
  const { base_url } = origins
  const token = await demoToken(origins)
  const json = { event_type: 'post.create', filter: { user_id: '101' } }
  assert.equal((await call(`${base_url}/2/activity/subscriptions`, 'POST', { token, json })).status, 200)
  const stream = await connectTo(base_url, token)
  assert.equal(stream.status, 200)
  const feed = await fetch(`${base_url}/operator/feed`, { headers: { authorization: `Bearer ${OPERATOR_TOKEN}` } })
  assert.equal(feed.status, 200)
  return { postern, base_url, token, stream, feed }
}

const untilStopping = async (baseUrl: string) => {
  for (;;) {
    const { status, body } = await call(`${baseUrl}/readyz`, 'GET')
    if (status === 503) return assert.deepEqual(body, { ready: false, failed: ['stopping'] })
    await pause()
  }
}

/** A call whose body is not at its end yet; `finish` ends it, and answers what the answer says of the connection. */
async function beginCall(url: string, token: string) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const sent = request(url, { method: 'POST', headers, agent: new Agent({ keepAlive: true }) })
  const answered = once(sent, 'response')
  answered.catch(() => {})
  await new Promise((resolve) => sent.write('{', resolve))
  return {
    async finish() {
      sent.end('}')
      const [answer] = await answered
      answer.resume()
      return answer.headers.connection as string | undefined
    },
  }
}

test('at the end of its drain a process ends streams, and exits 0', async () => {
  const { postern, stream, feed } = await startFollowed('1s', 'drain')
  const ended = postern.end('SIGTERM')
  assert.equal(await stream.ended(), 'OperationalDisconnect')
  assert.match(await feed.text(), /: the server stops\n\n$/)
  assert.equal(await ended, 0, postern.stderr)
})

test('after SIGTERM it says at once that it is not ready and serves on, until a second signal ends connections and streams, and it exits 0', async () => {
  const { postern, base_url, token, stream, feed } = await startFollowed('1h', 'second-signal')
  const ended = postern.end('SIGTERM')
  await untilStopping(base_url)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  assert.deepEqual(await keptCall(agent, `${base_url}/2/openapi.json`), { status: 404, connection: 'keep-alive' }, 'it still serves')
  assert.equal((await call(`${base_url}/2/webhooks`, 'GET', { token })).status, 200)
  assert.equal(stream.hasEnded, false, 'streams go on')
  const begun = await beginCall(`${base_url}/2/webhooks`, token)
  // Signals within a second are one: npm passes on what the process has had.
  while (!stream.hasEnded) {
    postern.child.kill('SIGTERM')
    await pause()
  }
  assert.equal(stream.disconnect, 'OperationalDisconnect')
  // An idle connection may be closed by now; this one is served first.
  assert.equal(await begun.finish(), 'close')
  await feed.text()
  assert.equal(await ended, 0, postern.stderr)
})
