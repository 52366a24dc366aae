import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { lockFile } from '../../src/storage/file-lock.ts'
import { freshDatabase } from '../stage/database.ts'

const source = new URL('../../src/storage/file-lock.ts', import.meta.url).href

/** A process that tries to take the lock, says how that went, and stays. */
async function anotherProcess(path: string) {
  const script = `
    const { lockFile } = await import(${JSON.stringify(source)})
    try { lockFile(${JSON.stringify(path)}); console.log('taken') } catch (error) { console.log(error.message) }
    process.stdin.resume()`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['pipe', 'pipe', 'inherit'] })
  const [said] = await once(child.stdout.setEncoding('utf8'), 'data')
  const kill = async () => {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  return { said: String(said).trim(), kill }
}

test('a file that another process has is refused with the path and what to do', async () => {
  await using database = await freshDatabase('sqlite')
  const path = database.url.slice('sqlite:'.length)
  const lock = lockFile(path)
  const other = await anotherProcess(path)
  await other.kill()
  assert.ok(other.said.startsWith(`${path} is in use by another process`), other.said)
  lock.release()
})

test('a file is refused to a second opener in the same process, and free after its release', async () => {
  await using database = await freshDatabase('sqlite')
  const path = database.url.slice('sqlite:'.length)
  const lock = lockFile(path)
  assert.throws(() => lockFile(path), /is in use/)
  lock.release()
  lockFile(path).release()
})

test('kill -9 frees the file at once', async () => {
  await using database = await freshDatabase('sqlite')
  const path = database.url.slice('sqlite:'.length)
  const other = await anotherProcess(path)
  assert.equal(other.said, 'taken')
  assert.throws(() => lockFile(path), /is in use/)
  await other.kill()
  lockFile(path).release()
})
