import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { startThread, type ThreadCalls } from '../../../../lib/thread-calls.ts'
import { ownFile } from '../../../files/own-file.ts'
import type { Memberships } from '../../../memberships.ts'
import type { StorageLog } from '../../../storage-log.ts'
import { WRITER_MEMORY } from '../writer-memory.ts'
import { createMemberFile, type MemberFile } from './member-file.ts'
import { openSchema } from './schema.ts'

/** Reads sizes of audiences. */
function createSizeReader(db: DatabaseSync) {
  const select =
    db.prepare(`select id, coalesce(sum(change), 0) as size from audience left join size_change on audience = number and at <= ?
    where removed = 0 and id in (select value from json_each(?)) group by number`)
  return (audienceIds: readonly string[], nowMs: number): Map<string, number> => {
    const rows = select.all(Math.floor(nowMs / 1000), JSON.stringify(audienceIds)) as { id: string; size: number }[]
    return new Map(rows.map(({ id, size }) => [id, size]))
  }
}

/** In memory there is one connection, and no thread. */
async function openInMemory(): Promise<Memberships> {
  const db = new DatabaseSync(':memory:')
  await openSchema(db)
  const file = createMemberFile(db)
  return {
    apply: async (audienceId, batch, nowMs) => file.apply({ audienceId, batch, nowMs }),
    sizes: async (ids, nowMs) => createSizeReader(db)(ids, nowMs),
    remove: async (audienceId) => file.remove(audienceId),
    audiences: async (after, limit) => file.audiences({ after, limit }),
    sweep: async (nowMs) => file.sweep(nowMs),
    wipe: async () => file.wipe(),
    snapshots: {
      save: async (name) => file.saveSnapshot(name),
      restore: async (name) => file.restoreSnapshot(name),
      drop: async (name) => file.dropSnapshot(name),
    },
    close: async () => file.close(),
  }
}

/**
 * Opens the memberships on SQLite, a file beside that of the state. A thread writes it, so that a batch delays nobody else; sizes are read on
 * a connection of this thread, which no writer delays. Both are opened once they are needed: most processes have no audiences.
 */
export async function openSqliteMemberships(statePath: string, log?: StorageLog): Promise<Memberships> {
  if (statePath === ':memory:') return openInMemory()
  const path = `${statePath}.audiences`
  let thread: ThreadCalls<MemberFile> | undefined
  let reader: { db: DatabaseSync; sizes: ReturnType<typeof createSizeReader> } | undefined

  let isClosed = false

  function writer() {
    if (isClosed) throw new Error('the memberships are closed')
    if (thread) return thread
    const started = startThread<MemberFile>(new URL('./writer-thread.ts', import.meta.url), { path: ownFile(path, log) }, WRITER_MEMORY)
    started.ended.then(() => {
      if (thread === started) thread = undefined
    })
    thread = started
    return started
  }

  function sizeReader() {
    if (reader) return reader
    const db = new DatabaseSync(path, { readOnly: true, timeout: 1000 })
    reader = { db, sizes: createSizeReader(db) }
    return reader
  }

  return {
    apply: async (audienceId, batch, nowMs) => writer().call('apply', { audienceId, batch, nowMs }, [batch]),
    async sizes(audienceIds, nowMs) {
      if (!reader && !existsSync(path)) return new Map()
      // The thread makes the tables.
      if (!reader) await writer().call('ready')
      return sizeReader().sizes(audienceIds, nowMs)
    },
    remove: async (audienceId) => writer().call('remove', audienceId),
    audiences: async (after, limit) => (existsSync(path) ? writer().call('audiences', { after, limit }) : []),
    sweep: async (nowMs) => existsSync(path) && writer().call('sweep', nowMs),
    wipe: async () => (existsSync(path) ? writer().call('wipe') : undefined),
    // Without a file there is nothing to copy, and a name without a copy restores no rows.
    snapshots: {
      save: async (name) => (existsSync(path) ? writer().call('saveSnapshot', name) : 0),
      restore: async (name) => (existsSync(path) ? writer().call('restoreSnapshot', name) : undefined),
      drop: async (name) => (existsSync(path) ? writer().call('dropSnapshot', name) : undefined),
    },
    async close() {
      isClosed = true
      reader?.db.close()
      reader = undefined
      if (!thread) return
      const { call, ended } = thread
      await call('close').catch(() => {})
      await ended
    },
  }
}
