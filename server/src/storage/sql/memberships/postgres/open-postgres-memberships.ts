import { startThread, type ThreadCalls } from '../../../../lib/thread-calls.ts'
import type { Memberships } from '../../../memberships.ts'
import type { PostgresVerbs } from './writer-thread.ts'

/** Runs one statement that reads; each row is an array of the selected columns. */
type ReadRows = (text: string, values: readonly unknown[]) => Promise<readonly (readonly unknown[])[]>

const SIZES = `select id, coalesce(sum(change), 0)::bigint as size from audience_numbers
  left join audience_size_changes on audience = number and at <= $1 where not removed and id = any($2::text[]) group by number, id`

/** The memberships on PostgreSQL. A thread with a connection of its own writes; sizes are read like everything else. */
export function openPostgresMemberships(url: string, readRows: ReadRows): Memberships {
  let thread: ThreadCalls<PostgresVerbs> | undefined

  function writer() {
    if (thread) return thread
    const started = startThread<PostgresVerbs>(new URL('./writer-thread.ts', import.meta.url), { url })
    started.ended.then(() => {
      if (thread === started) thread = undefined
    })
    thread = started
    return started
  }

  return {
    apply: (audienceId, batch, nowMs) => writer().call('apply', { audienceId, batch, nowMs }, [batch]),
    async sizes(audienceIds, nowMs) {
      const rows = await readRows(SIZES, [Math.floor(nowMs / 1000), audienceIds])
      return new Map(rows.map(([id, size]) => [id as string, Number(size)]))
    },
    remove: (audienceId) => writer().call('remove', audienceId),
    sweep: (nowMs) => writer().call('sweep', nowMs),
    wipe: () => writer().call('wipe'),
    async close() {
      if (!thread) return
      const { call, ended } = thread
      await call('close')
      await ended
    },
  }
}
