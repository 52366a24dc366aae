import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { link, rm, symlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { test } from 'node:test'
import { lockFile } from '../../src/storage/files/file-lock.ts'
import { freshDatabase } from '../stage/database.ts'

const source = new URL('../../src/storage/files/file-lock.ts', import.meta.url).href

/** A process that tries to take the lock, says how that went, and stays. */
async function anotherProcess(path: string) {
  const script = `
    const { lockFile } = await import(${JSON.stringify(source)})
    try { await lockFile(${JSON.stringify(path)}); console.log('taken') } catch (error) { console.log(error.message) }
    process.stdin.resume()`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['pipe', 'pipe', 'inherit'] })
  const [said] = await once(child.stdout.setEncoding('utf8'), 'data')
  const kill = async () => {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  return { said: String(said).trim(), kill, [Symbol.asyncDispose]: kill }
}

/** What another process is told that tries to take `name` while `path` is held. */
async function saidOf(path: string, name: string, meanwhile = async () => {}) {
  await using holder = await anotherProcess(path)
  assert.equal(holder.said, 'taken')
  await meanwhile()
  await using other = await anotherProcess(name)
  return other.said
}

test('a file that another process has locked is rejected with the path and what to do', async () => {
  await using database = await freshDatabase('sqlite')
  const path = database.url.slice('sqlite:'.length)
  const lock = await lockFile(path)
  const other = await anotherProcess(path)
  await other.kill()
  assert.ok(other.said.startsWith(`${path} is in use by another process`), other.said)
  lock.release()
})

test('a file is rejected for a second opener in the same process, and free after its release', async () => {
  await using database = await freshDatabase('sqlite')
  const path = database.url.slice('sqlite:'.length)
  const lock = await lockFile(path)
  await assert.rejects(lockFile(path), /is in use/)
  lock.release()
  ;(await lockFile(path)).release()
})

test('a symbolic link, even one that was there before the file, and a symbolic folder lead to the same lock', async () => {
  await using database = await freshDatabase('sqlite')
  const path = database.url.slice('sqlite:'.length)
  const link = `${path}.link`
  await symlink(path, link)
  assert.match(await saidOf(link, path), /is in use by another process/)
  assert.match(await saidOf(path, link), /is in use by another process/)
  const folder = `${dirname(path)}/folder`
  await symlink(dirname(path), folder)
  assert.match(await saidOf(path, join(folder, basename(path))), /is in use by another process/)
})

test('a hard link is the same database', { skip: process.platform !== 'linux' }, async () => {
  await using database = await freshDatabase('sqlite')
  const path = database.url.slice('sqlite:'.length)
  const said = await saidOf(path, `${path}.hard`, () => link(path, `${path}.hard`))
  assert.match(said, /is in use by another process/)
})

test('deleting the lock file does not let a second process in', { skip: process.platform !== 'linux' }, async () => {
  await using database = await freshDatabase('sqlite')
  const path = database.url.slice('sqlite:'.length)
  assert.match(await saidOf(path, path, () => rm(`${path}.lock`)), /is in use by another process/)
})

test('kill -9 releases the file at once', async () => {
  await using database = await freshDatabase('sqlite')
  const path = database.url.slice('sqlite:'.length)
  const other = await anotherProcess(path)
  assert.equal(other.said, 'taken')
  await assert.rejects(lockFile(path), /is in use/)
  await other.kill()
  ;(await lockFile(path)).release()
})
