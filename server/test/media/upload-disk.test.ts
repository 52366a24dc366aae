import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { promisify } from 'node:util'
import { databasesOf } from '../stage/databases.ts'
import { paddedVideo } from '../stage/large-videos.ts'
import { type Stage, setStage } from '../stage/postern.ts'
import { signedInSeed } from '../stage/signed-calls.ts'
import { canMount, mountSmallDisk } from '../stage/small-disk.ts'
import { append, filesOf, finalize, init, processed, status, v1 } from '../stage/uploads.ts'

const run = promisify(execFile)
const MB = 1024 * 1024

const FULL = 'There is no room for more media. Nothing was changed; retry later.'

const limitFiles = (bytes: number | 'unlimited') => run('prlimit', [`--pid=${process.pid}`, `--fsize=${bytes}:`])

/** An upload whose second segment finds no room, is refused clearly, and goes on once there is room again. */
async function fillAndGoOn(stage: Stage, take: () => Promise<unknown>, give: () => Promise<unknown>) {
  const video = paddedVideo(3 * MB)
  const [first, second] = [video.subarray(0, MB), video.subarray(MB)]
  const id = await init(stage, video.length, 'video/mp4')
  await append(stage, id, 0, first)
  await take()
  const refused = await v1(stage, { command: 'APPEND', media_id: id, segment_index: 1, media: second }).finally(give)
  assert.deepEqual([refused.status, refused.body.errors[0].message], [503, FULL])
  assert.equal(refused.headers.get('retry-after'), '1')
  assert.equal((await filesOf(stage)).length, 1)
  assert.equal((await status(stage, id)).status, 200)
  await append(stage, id, 1, second)
  return id
}

for (const flavour of databasesOf(import.meta))
  suite(`uploads to a full disk on ${flavour}`, () => {
    test('a file that may not grow is refused with 503, leaves nothing, and the upload goes on later', async () => {
      await using stage = await setStage({ flavour, seed: signedInSeed, fresh: true })
      const id = await fillAndGoOn(
        stage,
        () => limitFiles(1.75 * MB),
        () => limitFiles('unlimited'),
      )
      await finalize(stage, id)
      assert.equal((await processed(stage, id)).body.processing_info.state, 'succeeded')
    })
  })

// Root mounts a disk of its own; without root the limit above stands for it.
if (await canMount())
  test('a disk without room refuses an upload and its processing, which succeeds once there is room', async () => {
    await using disk = (await mountSmallDisk(7))!
    await using stage = await setStage({ seed: signedInSeed, environment: { POSTERN_MEDIA_STORE: join(disk.folder, 'media') } })
    const id = await fillAndGoOn(stage, disk.take, disk.give)
    await disk.take()
    assert.equal((await finalize(stage, id)).body.processing_info.state, 'pending')
    // The segments stay, and what was joined does not.
    await stage.until(async () => (await status(stage, id)).body.processing_info.state === 'in_progress')
    await stage.until(async () => (await filesOf(stage)).every((file) => file.startsWith('segments/')))
    await disk.give()
    stage.clock.advance(5 * 60_000)
    assert.equal((await processed(stage, id)).body.processing_info.state, 'succeeded')
  })
