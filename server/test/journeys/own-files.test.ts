import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, test } from 'node:test'
import { developmentSecrets } from '../../src/development-secrets.ts'
import { call } from '../stage/call.ts'
import { OPERATOR_TOKEN, setStage } from '../stage/postern.ts'
import { PosternProcess } from '../stage/postern-process.ts'
import { canMount, mountSmallDisk } from '../stage/small-disk.ts'

let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postern-files-'))
})
const started: PosternProcess[] = []
after(async () => {
  for (const postern of started) await postern.end('SIGKILL')
  await rm(folder, { recursive: true })
})

function begin(environment: Record<string, string>, at: string): PosternProcess {
  const postern = new PosternProcess(environment, at)
  started.push(postern)
  return postern
}

/** Makes up its own secrets, as a first start in development does. */
const unset = { POSTERN_SECRET: '', POSTERN_OPERATOR_TOKEN: '' }

/** Starts with these settings, which must be refused; answers what it said. */
async function refused(environment: Record<string, string>, place: string): Promise<string> {
  const postern = begin(environment, place)
  await assert.rejects(postern.ready())
  assert.equal(postern.child.exitCode, 1)
  return postern.stderr
}

const place = async (name: string) => {
  const path = join(folder, name)
  await mkdir(path, { mode: 0o755 })
  return path
}

test('every file that it writes is readable and writable only by its owner, whatever the folder, the umask and the former mode', async () => {
  const at = await place('modes')
  await mkdir(join(at, '.postern'), { mode: 0o777 })
  await chmod(join(at, '.postern'), 0o777)
  const formerMask = process.umask(0)
  const postern = begin(unset, at)
  process.umask(formerMask)
  const { base_url } = await postern.ready()
  const token = (await readFile(join(at, '.postern/operator-token'), 'utf8')).trim()
  await call(`${base_url}/operator/events`, 'POST', { token, json: { event_type: 'dm.received', user_id: '1', payload: {} } })
  const modes = async () =>
    Promise.all((await readdir(join(at, '.postern'))).map(async (name) => [name, (await stat(join(at, '.postern', name))).mode & 0o777]))
  const written = await modes()
  assert.deepEqual(
    written.map(([name]) => name),
    [
      '.gitignore',
      'operator-token',
      'postern.db',
      'postern.db-shm',
      'postern.db-wal',
      'postern.db.events',
      'postern.db.events-shm',
      'postern.db.events-wal',
      'postern.db.lock',
      'postern.db.lock-journal',
      'secret',
      'server.json',
    ],
  )
  assert.deepEqual(
    written.filter(([, mode]) => mode !== 0o600),
    [],
  )
  await postern.end('SIGKILL')
  for (const [name] of written) await chmod(join(at, '.postern', String(name)), 0o666)
  const again = begin({}, at)
  await again.ready().catch(() => {})
  await again.end('SIGKILL')
  const third = begin(unset, at)
  await third.ready()
  const mended = (await modes()).filter(([name]) => String(name).startsWith('postern.db'))
  assert.deepEqual(
    mended.filter(([, mode]) => mode !== 0o600),
    [],
  )
  await third.end('SIGTERM')
})

test('a first start on a full disk leaves no secret, and the next one with space creates one', { skip: !(await canMount()) }, async () => {
  await using disk = (await mountSmallDisk(8))!
  await chmod(disk.folder, 0o777)
  await disk.take()
  assert.match(await refused(unset, disk.folder), /Postern cannot start: .*(ENOSPC|no space left)/)
  const left = await readdir(join(disk.folder, '.postern')).catch(() => [])
  assert.deepEqual(left, [])
  await disk.give()
  const postern = begin(unset, disk.folder)
  await postern.ready()
  assert.equal((await readFile(join(disk.folder, '.postern/secret'), 'utf8')).length, 44)
  await postern.end('SIGTERM')
})

for (const text of ['', '\n', 'short\n'])
  test(`a secret of ${JSON.stringify(text)} in its file is rejected with the name of the file and what to do, and left unchanged`, async () => {
    const at = await place(`short-${text.length}`)
    await mkdir(join(at, '.postern'))
    for (const name of ['secret', 'operator-token']) {
      await writeFile(join(at, '.postern', name), text)
      const rejection = new RegExp(`\\.postern/${name} has \\d characters, .* at least 32: put back the former secret`)
      assert.throws(() => developmentSecrets(join(at, '.postern', name)), rejection)
      // The whole server says the same of each: one text is enough for that.
      if (text === 'short\n')
        assert.match(await refused({ ...unset, ...(name === 'operator-token' && { POSTERN_SECRET: 'x'.repeat(32) }) }, at), rejection)
      assert.equal(await readFile(join(at, '.postern', name), 'utf8'), text)
    }
  })

test('many concurrent first starts all have the same secret', async () => {
  const at = await place('at-once')
  const source = new URL('../../src/development-secrets.ts', import.meta.url).href
  const script = `const { developmentSecrets } = await import(${JSON.stringify(source)}); process.stdout.write(developmentSecrets('.postern/secret'))`
  const start = async () => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], { cwd: at, stdio: ['ignore', 'pipe', 'inherit'] })
    let said = ''
    child.stdout.setEncoding('utf8').on('data', (text) => (said += text))
    await once(child, 'close')
    return said
  }
  const secrets = new Set(await Promise.all(Array.from({ length: 6 }, start)))
  assert.equal(secrets.size, 1)
  // Letters and digits alone: a token is the value of an option.
  assert.match([...secrets][0]!, /^[A-Za-z0-9]{43}$/)
  assert.deepEqual((await readdir(join(at, '.postern'))).sort(), ['.gitignore', 'secret'])
})

test('a database with two names is one: its events are found by either, and a second process is rejected by either', async () => {
  const at = await place('names')
  const environment = (name: string) => ({ POSTERN_DATABASE_URL: `sqlite:${name}` })
  await mkdir(join(at, 'real'))
  await symlink('real/postern.db', join(at, 'link.db'))
  const first = begin(environment('link.db'), at)
  const { base_url } = await first.ready()
  const event = { event_type: 'dm.received', user_id: '1', payload: {}, event_uuid: '77' }
  const publish = (origin: string) => call(`${origin}/operator/events`, 'POST', { token: OPERATOR_TOKEN, json: event })
  const count = () => {
    using db = new DatabaseSync(join(at, 'real/postern.db.events'), { readOnly: true })
    return db.prepare('select count(*) as n from event').get()!.n
  }
  assert.equal((await publish(base_url)).status, 202)
  assert.equal(count(), 1)
  const refusedHere = (name: string) =>
    assert.rejects(
      setStage({ seed: {}, environment: { POSTERN_DATABASE_URL: `sqlite:${join(at, name)}` } }),
      /is in use by another process/,
    )
  await refusedHere('real/postern.db')
  await refusedHere('link.db')
  await rm(join(at, 'real/postern.db.lock'))
  if (process.platform === 'linux') await refusedHere('real/postern.db')
  await first.end('SIGKILL')
  const second = begin(environment('real/postern.db'), at)
  assert.equal((await publish((await second.ready()).base_url)).status, 202)
  assert.equal(count(), 1, 'the event was known')
  await second.end('SIGTERM')
})

test('two databases cannot share one event log', { skip: process.platform !== 'linux' }, async () => {
  const at = await place('swapped')
  const first = begin({ POSTERN_DATABASE_URL: 'sqlite:a.db' }, at)
  await first.ready()
  const second = { POSTERN_DATABASE_URL: `sqlite:${join(at, 'b.db')}` }
  await writeFile(join(at, 'b.db'), '')
  await symlink('a.db.events', join(at, 'b.db.events'))
  await assert.rejects(setStage({ seed: {}, environment: second }), /the database .*b\.db is missing or empty, but its event log/)
  await first.end('SIGTERM')
})
