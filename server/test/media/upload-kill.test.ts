import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createClock } from '../../src/lib/clock.ts'
import { cases } from '../stage/cases.ts'
import { migratedDatabase } from '../stage/database.ts'
import { databasesOf } from '../stage/databases.ts'
import { paddedVideo } from '../stage/large-videos.ts'
import { pause } from '../stage/pause.ts'
import { PosternProcess } from '../stage/postern-process.ts'
import { createRandom } from '../stage/random.ts'
import { signedInSeed } from '../stage/signed-calls.ts'
import { type Called, finalize, init, status, v1 } from '../stage/uploads.ts'

const SEGMENT = 64 * 1024
const SEGMENTS = 24
const KILLS = cases(1, 4)

/** One life of a server on a database and a folder. */
async function startLife(environment: Record<string, string>, folder: string) {
  const postern = new PosternProcess(environment, folder)
  const { base_url } = await postern.ready()
  const called: Called = { origins: { base_url }, publicOrigins: { base_url }, clock: createClock() }
  return { postern, called }
}

for (const flavour of databasesOf(import.meta))
  test(`an upload goes on after kill -9 with what was acknowledged, and is processed after another, on ${flavour}`, async () => {
    await using database = await migratedDatabase(flavour)
    const folder = await mkdtemp(join(tmpdir(), 'postern-kill-'))
    await using _ = { [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) }
    const seed = join(folder, 'seed.json')
    await writeFile(seed, JSON.stringify(signedInSeed))
    const store = join(folder, 'media')
    const environment = { POSTERN_DATABASE_URL: database.url, POSTERN_SEED: seed, POSTERN_MEDIA_STORE: store, POSTERN_RATE_LIMITS: 'off' }
    const random = createRandom(7)

    const video = paddedVideo(SEGMENTS * SEGMENT)
    const segments = Array.from({ length: Math.ceil(video.length / SEGMENT) }, (_, index) => index)
    const acknowledged = new Set<number>()
    let life = await startLife(environment, folder)
    const id = await init(life.called, video.length, 'video/mp4')

    /** Sends what is not acknowledged, four at a time; ends when nothing is left, or the process is gone. */
    const sendRest = async (called: Called) => {
      const rest = segments.filter((index) => !acknowledged.has(index)).reverse()
      const sender = async () => {
        for (let index = rest.pop(); index !== undefined; index = rest.pop()) {
          const media = video.subarray(index * SEGMENT, (index + 1) * SEGMENT)
          const answer = await v1(called, { command: 'APPEND', media_id: id, segment_index: index, media }).catch(() => undefined)
          if (!answer) return
          assert.equal(answer.status, 200, answer.text)
          acknowledged.add(index)
        }
      }
      await Promise.all([sender(), sender(), sender(), sender()])
    }

    for (let kill = 0; kill < KILLS; kill += 1) {
      const enough = acknowledged.size + 1 + Math.floor(random() * 5)
      const sending = sendRest(life.called)
      while (acknowledged.size < enough) await pause()
      await life.postern.end('SIGKILL')
      await sending
      life = await startLife(environment, folder)
    }
    await sendRest(life.called)
    assert.equal(acknowledged.size, segments.length)

    const done = await finalize(life.called, id)
    assert.equal(done.body.processing_info.state, 'pending', done.text)
    await life.postern.end('SIGKILL')
    life = await startLife(environment, folder)
    await using __ = { [Symbol.asyncDispose]: async () => void (await life.postern.end('SIGTERM')) }
    for (let state = ''; state !== 'succeeded'; await pause()) {
      const { processing_info } = (await status(life.called, id)).body
      assert.notEqual(processing_info.state, 'failed')
      state = processing_info.state
    }
    assert.deepEqual(await readFile(join(store, `media/7_${id}/original`)), video)
    // Segments that an upload has go in the background; those of requests that died wait for the sweep.
    while ((await readdir(join(store, 'segments'))).length > 4 * KILLS) await pause()
  })
