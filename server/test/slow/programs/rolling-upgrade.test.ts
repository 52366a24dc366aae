import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { cp, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, before, test } from 'node:test'
import type { Origins } from '../../../src/assemble.ts'
import { FORMER_RELEASE } from '../../../src/lib/version.ts'
import { startBalancer } from '../../stage/balancer.ts'
import { call } from '../../stage/call.ts'
import { startCountingReceiver } from '../../stage/counting-receiver.ts'
import { freshDatabase } from '../../stage/database.ts'
import { demo, demoToken, subscribe } from '../../stage/demo-client.ts'
import { followStream } from '../../stage/follow-stream.ts'
import { freePort } from '../../stage/free-port.ts'
import { authorization } from '../../stage/oauth-client.ts'
import { OPERATOR_TOKEN } from '../../stage/postern.ts'
import { PosternProcess } from '../../stage/postern-process.ts'
import { startProber } from '../../stage/prober.ts'
import { connectTo } from '../../stage/stream-client.ts'

const REPOSITORY = resolve(import.meta.dirname, '../../../..')
const git = (...parameters: string[]) => execFileSync('git', parameters, { cwd: REPOSITORY, encoding: 'utf8', maxBuffer: 1 << 30 }).trim()

/** The last commit before the version became the next one: the former release. Undefined without the history. */
function formerCommit(): string | undefined {
  if (spawnSync('git', ['rev-parse', '--git-dir'], { cwd: REPOSITORY }).status !== 0) return undefined
  const set = git('log', '--format=%H', `-S"version": "${FORMER_RELEASE}.0"`, '--', 'server/package.json').split('\n')
  // The oldest of them set it.
  return set.at(-1) || undefined
}

const former = formerCommit()

let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postern-rolling-'))
})
/** Those that a failed test left. */
const processes: PosternProcess[] = []
after(async () => {
  for (const process of processes) await process.end('SIGKILL')
  await rm(folder, { recursive: true, force: true })
})

/** Links each package of a folder. Those that are links already lead into the clone: the copies of them lead into the former release. */
async function linkPackages(from: string, to: string) {
  await mkdir(to, { recursive: true })
  for (const entry of await readdir(from, { withFileTypes: true }))
    if (entry.name === '@postern') await cp(join(from, entry.name), join(to, entry.name), { recursive: true, verbatimSymlinks: true })
    else if (entry.isDirectory()) await symlink(join(from, entry.name), join(to, entry.name))
}

/** Checks the former release out into a folder, with the packages of this clone. */
async function checkOut(commit: string): Promise<string> {
  const place = join(folder, 'former')
  execFileSync('sh', ['-c', `mkdir -p "${place}" && git archive ${commit} | tar -x -C "${place}"`], { cwd: REPOSITORY })
  for (const part of ['.', 'server']) await linkPackages(join(REPOSITORY, part, 'node_modules'), join(place, part, 'node_modules'))
  return join(place, 'server/src/main.js')
}

let checkedOut: Promise<string> | undefined
/** What starts the former release. */
const mainOfFormer = () => {
  checkedOut ??= checkOut(former!)
  return checkedOut
}

const skip = former === undefined && `the clone has no history with version ${FORMER_RELEASE}.0`

test('processes of the former release and of this one replace each other one by one, and back, without a failed call or a lost event', {
  skip,
}, async () => {
  const formerMain = await mainOfFormer()
  await using database = await freshDatabase('postgres')
  await using balancer = await startBalancer()
  const settings = {
    POSTERN_DATABASE_URL: database.url,
    POSTERN_BASE_URL: balancer.origin,
    POSTERN_RATE_LIMITS: 'off',
    POSTERN_DRAIN: '3s',
  }
  const start = async (release: 'former' | 'this') => {
    const port = await freePort()
    const own = { ...settings, POSTERN_PORT: String(port) }
    const started = new PosternProcess(own, folder, release === 'former' ? [formerMain] : undefined)
    processes.push(started)
    await started.ready()
    await balancer.add(port)
    return {
      async stop() {
        // That release closes at once: it has to be taken out before.
        if (release === 'former') await balancer.remove(port)
        assert.equal(await started.end('SIGTERM'), 0, started.stderr)
        await balancer.remove(port)
      },
    }
  }

  let running = [await start('former'), await start('former')]
  const origins = { base_url: balancer.origin, operator_url: balancer.origin } as Origins
  await using receiver = await startCountingReceiver(demo.secret)
  const callback = receiver.callback('/events')
  await subscribe(origins, callback.url, '101')
  const token = await demoToken(origins)
  await using stream = await followStream(() => connectTo(balancer.origin, token, '?backfill_minutes=5'))

  const accepted: string[] = []
  const publish = async () => {
    const event_uuid = String(randomBytes(6).readUIntBE(0, 6))
    const event = { event_type: 'dm.received', user_id: '101', payload: {}, event_uuid }
    const answer = await call(`${balancer.origin}/operator/events`, 'POST', { token: OPERATOR_TOKEN, json: event })
    if (answer.status === 202) accepted.push(event_uuid)
    return answer
  }
  const read = () => call(`${balancer.origin}/2/users/101`, 'GET', { token })
  /** The request token that one process gives is known to the one that has the page. */
  const signIn = async () => {
    const url = `${balancer.origin}/oauth/request_token`
    const signed = authorization({
      consumer_key: demo.key,
      consumer_secret: demo.secret,
      method: 'POST',
      url,
      oauth: { oauth_callback: 'oob' },
    })
    const given = await call(url, 'POST', { headers: { authorization: signed } })
    if (given.status !== 200) return given
    const oauth_token = new URLSearchParams(given.text).get('oauth_token')
    return call(`${balancer.origin}/oauth/authorize?oauth_token=${oauth_token}`, 'GET')
  }
  await using prober = startProber({ read: [read, 200], publish: [publish, 202], signIn: [signIn, 200] })

  for (const release of ['this', 'this', 'former', 'former'] as const) {
    await prober.more(60)
    const [oldest, other] = running
    await oldest!.stop()
    await prober.more(60)
    running = [other!, await start(release)]
  }
  await prober.more(60)
  const failed = await prober.stop()
  const warned = processes.flatMap(({ lines }) => lines.filter(({ level }) => level >= 40))
  assert.equal(failed.length, 0, JSON.stringify({ failed, warned }, null, 1))
  await receiver.when(() => accepted.every((uuid) => callback.counts.has(uuid)))
  assert.deepEqual(await stream.missingOf(accepted), [])
  await stream.stop()
  assert.deepEqual(stream.refused, [])
  const twice = [...callback.counts.values()].filter((count) => count > 1).length
  // Of the one webhook four requests are in flight at most, at each of the four ends.
  assert.ok(twice <= 16, `${twice} of ${accepted.length} events came twice`)
  for (const process of running) await process.stop()
})

test('the former release, which knows one event log, is refused on a database whose events are in several', { skip }, async () => {
  const command = [await mainOfFormer()]
  await using state = await freshDatabase('postgres')
  await using log = await freshDatabase('postgres')
  const settings = { POSTERN_DATABASE_URL: state.url }
  const start = (more: Record<string, string>, given?: readonly string[]) => {
    const started = new PosternProcess({ ...settings, ...more }, folder, given)
    processes.push(started)
    return started
  }
  const several = start({ POSTERN_LOG_URLS: `${state.url},${log.url}` })
  await several.ready()
  for (const when of ['beside this release', 'after it']) {
    await assert.rejects(start({}, command).ready(), /is newer than this Postern: it has run the migration several-event-logs/, when)
    assert.equal(await several.end('SIGTERM'), 0, several.stderr)
  }
})
