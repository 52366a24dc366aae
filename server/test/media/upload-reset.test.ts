import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createClock } from '../../src/lib/clock.ts'
import { mediaFixture } from '../stage/media-fixtures.ts'
import { setStage } from '../stage/postern.ts'
import { PosternProcess } from '../stage/postern-process.ts'
import { signedInSeed } from '../stage/signed-calls.ts'
import { append, filesOf, init, v1 } from '../stage/uploads.ts'

const png = mediaFixture('photo.png')

test('a reset removes media and segments, and nothing that others have in the folder', async () => {
  await using stage = await setStage({ seed: signedInSeed })
  await mkdir(stage.mediaFolder, { recursive: true })
  const foreign = ['.DS_Store', 'letter to a friend.txt', 'thesis.odt']
  for (const name of foreign) await writeFile(join(stage.mediaFolder, name), 'of others')
  assert.equal((await v1(stage, { media: png })).status, 200)
  await append(stage, await init(stage, png.length), 0, png)
  const reset = await stage.operator('POST', '/operator/reset')
  assert.equal(reset.status, 200, reset.text)
  assert.deepEqual(await filesOf(stage), foreign)
  assert.equal((await v1(stage, { media: png })).status, 200)
})

test('media of a server in memory are in a folder of its own, which goes with it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'postern-memory-'))
  await using _ = { [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) }
  const seed = join(folder, 'seed.json')
  await writeFile(seed, JSON.stringify(signedInSeed))
  const server = new PosternProcess({ POSTERN_DATABASE_URL: 'sqlite::memory:', POSTERN_SEED: seed, TMPDIR: folder }, folder)
  const mediaIn = async () => (await readdir(folder, { recursive: true })).filter((path) => /media/.test(path))
  try {
    const { base_url } = await server.ready()
    const uploaded = await v1({ origins: { base_url }, publicOrigins: { base_url }, clock: createClock() }, { media: png })
    assert.equal(uploaded.status, 200, uploaded.text)
    const paths = await mediaIn()
    assert.ok(paths.length > 1 && paths.every((path) => /^postern-media-[A-Za-z0-9]{16}(\/|$)/.test(path)), paths.join())
  } finally {
    await server.end('SIGTERM')
  }
  assert.deepEqual(await mediaIn(), [])
})
