import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { call } from '../stage/call.ts'
import { type Flavour, migratedDatabase } from '../stage/database.ts'
import { databasesOf } from '../stage/databases.ts'
import { freePort } from '../stage/free-port.ts'
import { authorization } from '../stage/oauth-client.ts'
import { PosternProcess } from '../stage/postern-process.ts'
import { adas, signedInSeed, VERIFY } from '../stage/signed-calls.ts'

interface Runs extends AsyncDisposable {
  origin: string
  begin(): Promise<PosternProcess>
}

/** A server of its own process, which can be killed and started again with the same database. */
async function startable(flavour: Flavour): Promise<Runs> {
  const begun = new AsyncDisposableStack()
  const database = begun.use(await migratedDatabase(flavour))
  const folder = await mkdtemp(join(tmpdir(), 'postern-nonces-'))
  begun.defer(() => rm(folder, { recursive: true }))
  const port = await freePort()
  await writeFile(join(folder, 'seed.json'), JSON.stringify(signedInSeed), { mode: 0o600 })
  const environment = {
    POSTERN_DATABASE_URL: database.url,
    POSTERN_PORT: String(port),
    POSTERN_SEED: 'seed.json',
    POSTERN_RATE_LIMITS: 'off',
  }
  return {
    origin: `http://127.0.0.1:${port}`,
    async begin() {
      const postern = new PosternProcess(environment, folder)
      begun.defer(async () => void (await postern.end('SIGKILL')))
      await postern.ready()
      return postern
    },
    [Symbol.asyncDispose]: () => begun.disposeAsync(),
  }
}

const signedFor = (origin: string, count: number) => Array.from({ length: count }, () => authorization({ ...adas, url: origin + VERIFY }))

const send = async (origin: string, header: string) => (await call(origin + VERIFY, 'GET', { headers: { authorization: header } })).status

for (const flavour of databasesOf(import.meta)) {
  test(`${flavour}: requests that were answered before a kill -9, long before or while others were under way, are rejected after a start`, async () => {
    await using runs = await startable(flavour)
    const before = signedFor(runs.origin, 20)
    const statuses = (headers: string[]) => Promise.all(headers.map((header) => send(runs.origin, header)))
    const first = await runs.begin()
    assert.deepEqual(new Set(await statuses(before)), new Set([200]))
    const answered: string[] = []
    let killed: Promise<unknown> | undefined
    const sendAndKill = async (header: string) => {
      if ((await send(runs.origin, header)) !== 200) return
      answered.push(header)
      if (answered.length === 20) killed = first.end('SIGKILL')
    }
    await Promise.allSettled(signedFor(runs.origin, 400).map(sendAndKill))
    await killed
    assert.ok(answered.length >= 20, `${answered.length}`)

    const second = await runs.begin()
    assert.deepEqual(new Set(await statuses([...before, ...answered])), new Set([401]))
    assert.equal(await second.end('SIGTERM'), 0)
  })
}
