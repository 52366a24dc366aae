import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { mediaFixture } from '../stage/media-fixtures.ts'
import { setStage } from '../stage/postern.ts'
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
