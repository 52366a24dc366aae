import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
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

/** Servers with their database in memory, and the names of what is in their folder of temporary files, with that of their media. */
async function inMemory() {
  const folder = await mkdtemp(join(tmpdir(), 'postern-memory-'))
  const seed = join(folder, 'seed.json')
  await writeFile(seed, JSON.stringify(signedInSeed))
  return {
    folder,
    start: () => new PosternProcess({ POSTERN_DATABASE_URL: 'sqlite::memory:', POSTERN_SEED: seed, TMPDIR: folder }, folder),
    async upload({ base_url }: { base_url: string }) {
      const uploaded = await v1({ origins: { base_url }, publicOrigins: { base_url }, clock: createClock() }, { media: png })
      assert.equal(uploaded.status, 200, uploaded.text)
    },
    mediaFolders: async () => (await readdir(folder)).filter((name) => /media/.test(name)),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  }
}

test('media of a server in memory are in a folder of its own that its owner alone reads, which goes with it', async () => {
  await using memory = await inMemory()
  const server = memory.start()
  try {
    await memory.upload(await server.ready())
    const folders = await memory.mediaFolders()
    assert.match(folders.join(), /^postern-media-\d+-\d+-[A-Za-z0-9]{16}$/)
    assert.equal((await stat(join(memory.folder, folders[0]!))).mode & 0o777, 0o700)
  } finally {
    await server.end('SIGTERM')
  }
  assert.deepEqual(await memory.mediaFolders(), [])
})

test('media that a killed server in memory left are removed by the next start, and those of one that runs stay', async () => {
  await using memory = await inMemory()
  const servers = [memory.start(), memory.start()]
  try {
    for (const server of servers) await memory.upload(await server.ready())
    const [killed, running] = servers as [PosternProcess, PosternProcess]
    await killed.end('SIGKILL')
    assert.equal((await memory.mediaFolders()).length, 2)
    servers.push(memory.start())
    await servers[2]!.ready()
    const [left, ...more] = await memory.mediaFolders()
    assert.match(left!, new RegExp(`^postern-media-\\d+-${running.child.pid}-`))
    assert.deepEqual(more, [])
  } finally {
    for (const server of servers) await server.end('SIGTERM')
  }
})
