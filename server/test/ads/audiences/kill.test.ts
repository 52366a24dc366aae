import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { AUDIENCES, seedWithAudiences, update, usersFrom } from '../../stage/ads-audiences.ts'
import { call } from '../../stage/call.ts'
import { cases } from '../../stage/cases.ts'
import { migratedDatabase } from '../../stage/database.ts'
import { databasesOf } from '../../stage/databases.ts'
import { freePort } from '../../stage/free-port.ts'
import { authorization } from '../../stage/oauth-client.ts'
import { PosternProcess } from '../../stage/postern-process.ts'
import { adas } from '../../stage/signed-calls.ts'

const USERS = 2500
const ROUNDS = cases(1, 3)

for (const flavour of databasesOf(import.meta))
  test(`${flavour}: after a kill -9 each batch of users is there as a whole or not at all, and each that was answered is there`, async () => {
    await using database = await migratedDatabase(flavour)
    const folder = await mkdtemp(join(tmpdir(), 'postern-audiences-'))
    const port = await freePort()
    const origin = `http://127.0.0.1:${port}`
    await writeFile(join(folder, 'seed.json'), JSON.stringify(seedWithAudiences()), { mode: 0o600 })
    await using begun = new AsyncDisposableStack()
    begun.defer(() => rm(folder, { recursive: true }))
    const begin = async () => {
      const ads = { POSTERN_ADS_PORT: String(port), POSTERN_ADS_BASE_URL: origin }
      const postern = new PosternProcess({ POSTERN_DATABASE_URL: database.url, POSTERN_SEED: 'seed.json', ...ads }, folder)
      begun.defer(async () => void (await postern.end('SIGKILL')))
      await postern.ready()
      return postern
    }
    const send = (method: string, path: string, body?: object) =>
      call(origin + path, method, {
        headers: { authorization: authorization({ ...adas, method, url: origin + path }), 'content-type': 'application/json' },
        body: body && JSON.stringify(body),
      })
    let batches = 0
    let answered = 0
    const sendNext = async () => {
      const users = usersFrom(batches++ * USERS, USERS)
      const { status } = await send(
        'POST',
        `${AUDIENCES}/a1/users`,
        users.map((user) => update([user])),
      )
      if (status === 200) answered += 1
    }
    for (let round = 0; round < ROUNDS; round += 1) {
      const postern = await begin()
      await sendNext()
      const left = Array.from({ length: 4 }, () => sendNext().catch(() => {}))
      // One more was answered: the others are being read, written or committed.
      await left[round % 2]
      await postern.end('SIGKILL')
      await Promise.all(left)
      const again = await begin()
      const { audience_size: size } = (await send('GET', `${AUDIENCES}/a1`)).body.data
      assert.equal(size % USERS, 0, `${size} users are no whole number of batches`)
      assert.ok(size >= answered * USERS && size <= batches * USERS, `${size} users, ${answered} of ${batches} batches were answered`)
      assert.equal(await again.end('SIGTERM'), 0)
    }
  })
