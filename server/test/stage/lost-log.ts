import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before } from 'node:test'
import { call } from './call.ts'
import { OPERATOR_TOKEN, setStage } from './postern.ts'
import { PosternProcess } from './postern-process.ts'

let folder: string
const started: PosternProcess[] = []
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postern-lost-'))
})
after(async () => {
  for (const postern of started) await postern.end('SIGKILL')
  await rm(folder, { recursive: true })
})

/** How many events `accept` publishes. */
export const EVENTS = 300

/** Publishes events, from a first uuid on. */
async function publishFrom(first: number, origin: string) {
  const events = Array.from({ length: EVENTS }, (_, n) => ({
    event_type: 'dm.received',
    user_id: '1',
    payload: {},
    event_uuid: String(first + n),
  }))
  const json = { events }
  assert.equal((await call(`${origin}/operator/events`, 'POST', { token: OPERATOR_TOKEN, json })).status, 202)
}

/** A database of its own, in a folder of its own, that servers are started on and whose files are taken away. */
export async function database(name: string) {
  const at = join(folder, name)
  await mkdir(at)
  const path = join(at, 'postern.db')
  const start = (environment: Record<string, string> = {}) => {
    const postern = new PosternProcess({ POSTERN_DATABASE_URL: `sqlite:${path}`, ...environment }, at)
    started.push(postern)
    return postern
  }
  /** A server in this process: what is killed alone needs one of its own. */
  const startHere = (environment: Record<string, string>) =>
    setStage({ seed: {}, environment: { POSTERN_DATABASE_URL: `sqlite:${path}`, ...environment } })
  return {
    path,
    start,
    /** Accepts events, from a first uuid on, and ends as by this signal; answers what was logged. */
    async accept(signal: 'SIGTERM' | 'SIGKILL', environment: Record<string, string> = {}, first = 1000) {
      if (signal === 'SIGTERM') {
        await using stage = await startHere(environment)
        await publishFrom(first, stage.origins.base_url)
        return stage.log
      }
      const postern = start(environment)
      await publishFrom(first, (await postern.ready()).base_url)
      await postern.end(signal)
      return postern.lines
    },
    async refused(environment: Record<string, string> = {}): Promise<string> {
      const started = await startHere(environment).catch((error: Error) => error)
      if (started instanceof Error) return started.message
      await started.end()
      return assert.fail('it started')
    },
    remove: (...suffixes: string[]) => Promise.all(suffixes.map((suffix) => rm(path + suffix, { force: true }))),
    count() {
      using db = new DatabaseSync(`${path}.events`, { readOnly: true })
      return db.prepare('select count(*) as n from event').get()!.n
    },
  }
}

/** The setting that accepts the loss of which a refused start spoke. */
export const acceptedId = (said: string) => {
  const [, id] = /POSTERN_ACCEPT_LOG_LOSS=(\w+)/.exec(said) ?? []
  assert.ok(id, said)
  return { POSTERN_ACCEPT_LOG_LOSS: id }
}

/** The files of an event log, behind the path of the database. */
export const logFiles = ['.events', '.events-wal', '.events-shm']
