import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { pino } from 'pino'
import { generalAreaOf } from '../../src/api/areas.ts'
import { hostLimits } from '../../src/api/declare/host-limits.ts'
import { fallbacksOf } from '../../src/api/http/fallbacks.ts'
import { createHost } from '../../src/api/http/http.ts'
import { createMediaFolder } from '../../src/storage/media-files/folder.ts'
import { openWith, untilClosed } from '../stage/hostile/bare-host.ts'
import { pause } from '../stage/pause.ts'

/** A timeout so short that a test can wait for it. */
const SHORT = { headersTimeoutMs: 100, requestTimeoutMs: 200, checkIntervalMs: 20 }

const ALL = { maxBytes: Number.POSITIVE_INFINITY }

const filesIn = async (folder: string) =>
  (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile()).map(({ name }) => name)

test('a body that does not come in time is answered with 408, and nothing of it is left', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'postern-slow-'))
  await using _ = { [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) }
  const files = createMediaFolder(folder)
  let outcome: Promise<unknown> | undefined
  const route = {
    ...{ path: '/2/media/upload', methods: ['POST'], bodyLimitBytes: 1024, streams: true },
    async respond({ unread }: { unread?: AsyncIterable<Uint8Array> }) {
      outcome = files.write('segments/1', unread!, ALL).catch((error) => error)
      await outcome
      return { status: 200, headers: {}, body: '' }
    },
  }
  const fallbacks = fallbacksOf({ problemBaseUrl: 'https://api.example.com/2/problems' }, generalAreaOf)
  const host = createHost([route], fallbacks, pino({ level: 'silent' }), { limits: { ...hostLimits, ...SHORT } })
  const port = await host.listen(0, '127.0.0.1')
  await using __ = { [Symbol.asyncDispose]: () => host.close() }
  const head = 'POST /2/media/upload HTTP/1.1\r\nHost: a\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 1000\r\n\r\n'
  const socket = openWith(`http://127.0.0.1:${port}`, head)
  const timer = setInterval(() => socket.writable && socket.write('x'), 10)
  socket.once('close', () => clearInterval(timer))
  const answers = await untilClosed(socket)
  assert.deepEqual(
    answers.map(({ status }) => status),
    [408],
  )
  while (!outcome) await pause()
  assert.ok((await outcome) instanceof Error)
  assert.deepEqual(await filesIn(folder), [])
})
