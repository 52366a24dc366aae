import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { writeInMemory } from '../../src/storage/log/sqlite/write-in-memory.ts'

test('a writer in this thread that cannot be opened rejects every call with the reason, and has ended', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'postern-writer-'))
  const path = join(folder, 'no-database')
  await writeFile(path, 'This is no database.'.repeat(100))
  const writer = writeInMemory(path)
  const damaged = { message: /no-database/ }
  await assert.rejects(writer.call('migrated'), damaged)
  await assert.rejects(writer.call('state'), damaged)
  await assert.rejects(writer.call('close', false), damaged)
  await writer.ended
  await rm(folder, { recursive: true })
})

test('a writer in this thread ends when it is closed, and rejects what is asked afterwards', async () => {
  const writer = writeInMemory()
  await writer.call('migrated')
  await writer.call('close', true)
  await writer.ended
  await assert.rejects(writer.call('state'), /the event log in memory was closed/)
})
