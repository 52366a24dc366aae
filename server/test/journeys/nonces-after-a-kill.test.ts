import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { call } from '../stage/call.ts'
import { flavours, migratedDatabase } from '../stage/database.ts'
import { freePort } from '../stage/free-port.ts'
import { authorization } from '../stage/oauth-client.ts'
import { PosternProcess } from '../stage/postern-process.ts'
import { adas, signedInSeed, VERIFY } from '../stage/signed-calls.ts'

for (const flavour of flavours) {
  test(`${flavour}: answered requests are rejected after a kill -9 and a start`, async () => {
    await using database = await migratedDatabase(flavour)
    const folder = await mkdtemp(join(tmpdir(), 'postern-nonces-'))
    const port = await freePort()
    const origin = `http://127.0.0.1:${port}`
    await writeFile(join(folder, 'seed.json'), JSON.stringify(signedInSeed), { mode: 0o600 })
    await using begun = new AsyncDisposableStack()
    begun.defer(() => rm(folder, { recursive: true }))
    const begin = async () => {
      const environment = { POSTERN_DATABASE_URL: database.url, POSTERN_PORT: String(port), POSTERN_SEED: 'seed.json' }
      const postern = new PosternProcess(environment, folder)
      begun.defer(async () => void (await postern.end('SIGKILL')))
      await postern.ready()
      return postern
    }
    const signed = Array.from({ length: 20 }, () => authorization({ ...adas, url: origin + VERIFY }))
    const statuses = () =>
      Promise.all(signed.map(async (header) => (await call(origin + VERIFY, 'GET', { headers: { authorization: header } })).status))

    const first = await begin()
    assert.deepEqual(new Set(await statuses()), new Set([200]))
    await first.end('SIGKILL')

    const second = await begin()
    assert.deepEqual(new Set(await statuses()), new Set([401]))
    assert.equal(await second.end('SIGTERM'), 0)
  })
}
