import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { keepOpenMark } from '../../src/storage/files/open-mark.ts'

/** A database in a file with a write-ahead log, and a connection that counts the statements that mark it. */
function markedFile(fails: (mark: number) => boolean = () => false) {
  const folder = mkdtempSync(join(tmpdir(), 'postern-mark-'))
  const path = join(folder, 'postern.db')
  const db = new DatabaseSync(path)
  db.exec('pragma journal_mode = wal; create table event (id integer)')
  let marks = 0
  const exec = (sql: string) => {
    const mark = /application_id = (\d+)/.exec(sql)?.[1]
    if (mark !== undefined) marks += 1
    if (mark !== undefined && fails(Number(mark))) throw new Error('database or disk is full')
    db.exec(sql)
  }
  const mark = keepOpenMark({ exec }, path)
  return {
    db,
    path,
    marks: () => marks,
    /** Whether the connection sees the mark that only the write-ahead log may have. */
    isComplete: () => Number(db.prepare('pragma application_id').get()!.application_id) % 2 === 0,
    commit(count = 1) {
      for (let n = 0; n < count; n++) {
        db.exec('insert into event values (1)')
        mark.again()
      }
    },
    [Symbol.dispose]() {
      db.close()
      mark.release()
      rmSync(folder, { recursive: true })
    },
  }
}

test('a mark of which only the first half could be written is completed with the next commit', () => {
  let isFull = true
  using file = markedFile((mark) => isFull && mark % 2 === 0)
  assert.equal(file.isComplete(), false)
  isFull = false
  file.commit()
  assert.equal(file.isComplete(), true)
  file.commit(3)
  assert.equal(file.marks(), 4, 'two for each time, and none for a file that is marked')
})

test('while a backup keeps a file from being marked, it is tried again after every 100 commits', () => {
  using file = markedFile()
  file.db.exec('pragma wal_checkpoint(truncate)')
  using backup = new DatabaseSync(file.path)
  backup.exec('begin')
  backup.prepare('select count(*) from event').get()
  const before = file.marks()
  file.commit(1 + 100)
  assert.equal(file.marks(), before + 2)
  backup.exec('commit')
  file.commit(3)
  assert.equal(file.marks(), before + 4, 'marked with the first commit after them, for good')
})
