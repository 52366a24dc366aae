import { startThread, type ThreadCalls } from '../../../../lib/thread-calls.ts'
import type { Memberships } from '../../../memberships.ts'
import { noSnapshots } from '../../../snapshots.ts'
import { WRITER_MEMORY } from '../writer-memory.ts'
import type { PostgresMethods } from './writer-thread.ts'

/** Runs one statement that reads; each row is an array of the selected columns. */
type ReadRows = (text: string, values: readonly unknown[]) => Promise<readonly (readonly unknown[])[]>

const SIZES = `select id, coalesce(sum(change), 0)::bigint as size from audience_numbers
  left join audience_size_changes on audience = number and at <= $1 where not removed and id = any($2::text[]) group by number, id`

const LIVING = 'select id from audience_numbers where id > $1 and not removed order by id limit $2'

/** The memberships on PostgreSQL. A thread with a connection of its own writes; sizes are read like everything else. */
export function openPostgresMemberships(url: string, readRows: ReadRows): Memberships {
  let thread: ThreadCalls<PostgresMethods> | undefined

  let isClosed = false

  function writer() {
    if (isClosed) throw new Error('the memberships are closed')
    if (thread) return thread
    const started = startThread<PostgresMethods>(new URL('./writer-thread.ts', import.meta.url), { url }, WRITER_MEMORY)
    started.ended.then(() => {
      if (thread === started) thread = undefined
    })
    thread = started
    return started
  }

  return {
    apply: async (audienceId, batch, nowMs) => writer().call('apply', { audienceId, batch, nowMs }, [batch]),
    async sizes(audienceIds, nowMs) {
      const rows = await readRows(SIZES, [Math.floor(nowMs / 1000), audienceIds])
      return new Map(rows.map(([id, size]) => [id as string, Number(size)]))
    },
    remove: async (audienceId) => writer().call('remove', audienceId),
    audiences: async (after, limit) => (await readRows(LIVING, [after, limit])).map(([id]) => id as string),
    sweep: async (nowMs) => writer().call('sweep', nowMs),
    wipe: async () => writer().call('wipe'),
    // The tables are among those of the state.
    snapshots: noSnapshots,
    async close() {
      isClosed = true
      if (!thread) return
      const { call, ended } = thread
      await call('close').catch(() => {})
      await ended
    },
  }
}
