import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { call } from '../stage/call.ts'
import { openWith } from '../stage/hostile/bare-host.ts'
import { PosternProcess } from '../stage/postern-process.ts'

let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postern-hanging-'))
})
after(() => rm(folder, { recursive: true }))

test('SIGTERM exits cleanly within 10 s, although clients hang in every state', async () => {
  const postern = new PosternProcess({}, folder)
  const { base_url } = await postern.ready()
  const request = (verb: string, path: string) => `${verb} ${path} HTTP/1.1\r\nHost: localhost\r\n`
  const hanging = [
    '',
    request('GET', '/healthz'),
    `${request('GET', '/healthz')}\r\n`,
    `${request('POST', '/2/webhooks')}Content-Length: 9\r\n\r\n{`,
    `${request('GET', '/openapi.json')}\r\n`.repeat(100),
  ].map((bytes) => openWith(base_url, bytes).pause())
  assert.equal((await call(`${base_url}/healthz`, 'GET')).status, 200)
  const startedMs = performance.now()
  const closed = once(postern.child, 'close')
  assert.equal(await postern.end('SIGTERM'), 0)
  await closed
  assert.ok(performance.now() - startedMs < 10_000)
  assert.equal(postern.lines.at(-1)?.msg, 'stopped')
  for (const socket of hanging) socket.destroy()
})
