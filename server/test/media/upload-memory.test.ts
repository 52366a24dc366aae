import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createClock } from '../../src/lib/clock.ts'
import { cases } from '../stage/cases.ts'
import { digestOf, largeVideo } from '../stage/large-videos.ts'
import { authorization } from '../stage/oauth-client.ts'
import { pause } from '../stage/pause.ts'
import { PosternProcess } from '../stage/postern-process.ts'
import { adas, signedInSeed } from '../stage/signed-calls.ts'
import { type Called, finalize, init, status, V1 } from '../stage/uploads.ts'

const MB = 1024 * 1024
/** More than what may stay in memory. */
const MEGABYTES = cases(130, 200)
/** V8 frees what came of a body once there are 64 MB of it, however large the body is. */
const MOST_GROWTH_MB = 90

const residentMb = async (pid: number) => Number(/VmRSS:\s+(\d+) kB/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))![1]) / 1024

/** Watches the memory of a process while something runs; answers the most of it, in MB. */
async function mostOf(pid: number, run: () => Promise<void>): Promise<number> {
  let most = 0
  const timer = setInterval(async () => {
    most = Math.max(most, await residentMb(pid).catch(() => 0))
  }, 20)
  await run().finally(() => clearInterval(timer))
  return Math.max(most, await residentMb(pid))
}

/** Sends a segment as it is made. */
async function stream(called: Called, mediaId: string, pieces: Iterable<Buffer>) {
  const url = called.origins.base_url + V1
  const headers = {
    authorization: authorization({ ...adas, method: 'POST', url }),
    'content-type': 'multipart/form-data; boundary=b',
  }
  const sent = request(url, { method: 'POST', headers })
  const field = (name: string, value: string) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  sent.write(field('command', 'APPEND') + field('media_id', mediaId) + field('segment_index', '0'))
  sent.write('--b\r\nContent-Disposition: form-data; name="media"; filename="a.mp4"\r\n\r\n')
  for (const piece of pieces) if (!sent.write(piece)) await once(sent, 'drain')
  sent.end('\r\n--b--\r\n')
  const [answer] = await once(sent, 'response')
  answer.resume()
  assert.equal(answer.statusCode, 200)
}

test(`${MEGABYTES} MB in one request take less than ${MOST_GROWTH_MB} MB of memory, and so does their processing`, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'postern-memory-'))
  await using _ = { [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) }
  const seed = join(folder, 'seed.json')
  await writeFile(seed, JSON.stringify(signedInSeed))
  const environment = {
    POSTERN_DATABASE_URL: `sqlite:${join(folder, 'postern.db')}`,
    POSTERN_SEED: seed,
    // As `npm start` sets it.
    NODE_OPTIONS: '--max-semi-space-size=8',
  }
  const postern = new PosternProcess(environment, folder)
  const { base_url } = await postern.ready()
  await using __ = { [Symbol.asyncDispose]: async () => void (await postern.end('SIGTERM')) }
  const called: Called = { origins: { base_url }, publicOrigins: { base_url }, clock: createClock() }
  const pid = postern.child.pid!

  const upload = async (video: ReturnType<typeof largeVideo>) => {
    const id = await init(called, video.size, 'video/mp4')
    await stream(called, id, video.pieces())
    await finalize(called, id)
    for (let state = ''; state !== 'succeeded'; await pause()) state = (await status(called, id)).body.processing_info.state
    return id
  }

  // What the first upload loads is no growth.
  await upload(largeVideo(2))
  const before = await residentMb(pid)
  const video = largeVideo(MEGABYTES)
  let id = ''
  const most = await mostOf(pid, async () => {
    id = await upload(video)
  })
  assert.ok(most - before < MOST_GROWTH_MB, `it grew from ${Math.round(before)} to ${Math.round(most)} MB`)
  const file = createReadStream(join(folder, `media/media/7_${id}/original`), { highWaterMark: 4 * MB })
  const hash = createHash('sha256')
  for await (const piece of file) hash.update(piece)
  assert.equal(hash.digest('hex'), digestOf(video.pieces()))
})
