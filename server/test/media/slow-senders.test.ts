import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { pino } from 'pino'
import { generalAreaOf } from '../../src/api/areas.ts'
import { hostLimits } from '../../src/api/declare/host-limits.ts'
import type { RawRequest } from '../../src/api/declare/raw-request.ts'
import { fallbacksOf } from '../../src/api/http/fallbacks.ts'
import { createHost } from '../../src/api/http/http.ts'
import { createMediaFolder } from '../../src/storage/media-files/folder.ts'
import { openWith, untilClosed } from '../stage/hostile/bare-host.ts'

/** Timeouts so short that a test can wait for them. */
const SHORT = { headersTimeoutMs: 100, requestTimeoutMs: 200, uploadTimeoutMs: 1000, uploadStalledMs: 300, checkIntervalMs: 20 }

const ALL = { maxBytes: Number.POSITIVE_INFINITY }

const filesIn = async (folder: string) =>
  (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile()).map(({ name }) => name)

const headOf = (path: string, type: string, bytes: number) =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: ${type}\r\nContent-Length: ${bytes}\r\n\r\n`

const MULTIPART = 'multipart/form-data; boundary=b'

/** A host that writes what is uploaded to a folder, and another route whose bodies are read whole. */
async function startUploads(limits = SHORT) {
  const folder = await mkdtemp(join(tmpdir(), 'postern-slow-'))
  const files = createMediaFolder(folder)
  const outcomes: Promise<unknown>[] = []
  const upload = {
    path: '/2/media/upload',
    methods: ['POST'],
    bodyLimitBytes: 1024,
    streams: true,
    async respond({ unread }: RawRequest) {
      const outcome = files.write('segments/1', unread!, ALL).catch((error) => error)
      outcomes.push(outcome)
      await outcome
      return { status: 200, headers: {}, body: '' }
    },
  }
  const echo = {
    path: '/2/echo',
    methods: ['POST'],
    bodyLimitBytes: 1024,
    respond: async () => ({ status: 200, headers: {}, body: '' }),
  }
  const fallbacks = fallbacksOf({ problemBaseUrl: 'https://api.example.com/2/problems' }, generalAreaOf)
  const host = createHost([upload, echo], fallbacks, pino({ level: 'silent' }), { limits: { ...hostLimits, ...limits } })
  const port = await host.listen(0, '127.0.0.1')
  return {
    outcomes,
    filesOf: () => filesIn(folder),
    /** Sends a request, its body one byte after the other, until `bytes` are sent; answers what came back. */
    trickle(path: string, type: string, bytes = Number.POSITIVE_INFINITY) {
      const socket = openWith(`http://127.0.0.1:${port}`, headOf(path, type, Math.min(bytes, 1000)))
      let sent = 0
      const timer = setInterval(() => {
        if (!socket.writable || sent >= bytes) return
        socket.write('x')
        sent += 1
      }, 10)
      socket.once('close', () => clearInterval(timer))
      return untilClosed(socket)
    },
    /** Sends a head and a few bytes, and nothing more. */
    stall: (path: string, type: string) => untilClosed(openWith(`http://127.0.0.1:${port}`, `${headOf(path, type, 1000)}xxxx`)),
    /** Sends a part of a head, and nothing more. */
    stallHead: () => untilClosed(openWith(`http://127.0.0.1:${port}`, 'POST /2/media/upload HTTP/1.1\r\nX: ')),
    async [Symbol.asyncDispose]() {
      await host.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const detailOf = (answers: readonly { status: number; body: Buffer | string }[]) => {
  assert.deepEqual(
    answers.map(({ status }) => status),
    [408],
  )
  return JSON.parse(String(answers[0]!.body)).detail
}

test('an upload that takes longer than other requests may is taken while its bytes keep coming', async () => {
  await using uploads = await startUploads({ ...SHORT, uploadTimeoutMs: 60_000 })
  const answers = await uploads.trickle('/2/media/upload', MULTIPART, 60)
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200],
  )
  assert.deepEqual(await uploads.outcomes[0], { size: 60 })
})

test('an upload that does not end in time, or of which no byte comes, is answered with 408, and nothing of it is left', async () => {
  await using uploads = await startUploads()
  const [slow, stalled] = await Promise.all([uploads.trickle('/2/media/upload', MULTIPART), uploads.stall('/2/media/upload', MULTIPART)])
  assert.match(detailOf(slow), /^The request did not come in time: /)
  assert.equal(detailOf(stalled), 'The request did not come in time: no byte of the upload came for 0.3 s.')
  for (const outcome of uploads.outcomes) assert.ok((await outcome) instanceof Error)
  assert.equal(uploads.outcomes.length, 2)
  assert.deepEqual(await uploads.filesOf(), [])
})

test('beside uploads, headers and every other body must come within the usual time', async () => {
  await using uploads = await startUploads({ ...SHORT, uploadTimeoutMs: 60_000 })
  const all = await Promise.all([
    uploads.trickle('/2/echo', 'application/json'),
    uploads.trickle('/2/echo', MULTIPART),
    uploads.trickle('/2/nothing', MULTIPART),
    uploads.trickle('/2/media/upload', 'application/json'),
    uploads.trickle('/2/media/upload', 'application/x-www-form-urlencoded'),
  ])
  for (const answers of all.slice(0, 2)) assert.equal(detailOf(answers), 'The request did not come in time: all of it must within 0.2 s.')
  assert.match(detailOf(await uploads.stallHead()), /its headers must within 0\.1 s/)
  for (const answers of all) assert.ok([404, 408].includes(answers[0]!.status))
})
