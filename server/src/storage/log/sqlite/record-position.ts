import type { Clock, Timer } from '../../../lib/clock.ts'
import type { EventLog } from '../../event-log.ts'
import { EVENT_LOG } from '../../log-position.ts'
import type { Metadata } from '../../metadata.ts'
import type { SqliteLog } from './open-sqlite-log.ts'
import type { LogPosition } from './verify-log.ts'

/** Delay between a commit and its record in the state. Losing a log may go unnoticed for the events of this time. */
const RECORD_DELAY_MS = 1_000

const print = ({ id, sequence }: LogPosition) => `${id} ${sequence}`

/** The position that the state recorded last. */
export async function readPosition(metadata: Metadata): Promise<LogPosition | undefined> {
  const [id, sequence] = (await metadata.get(EVENT_LOG))?.split(' ') ?? []
  return id === undefined ? undefined : { id, sequence: Number(sequence) }
}

/**
 * Records in the state which log belongs to it, and the log's newest event: within a second of each commit, without an fsync, and
 * exactly when the log is closed. The recorded position is never ahead of what was committed.
 */
export async function recordPosition(log: SqliteLog, metadata: Metadata, clock: Clock): Promise<EventLog> {
  let timer: Timer | undefined
  const record = () => metadata.set(EVENT_LOG, print(log.position()))

  /** After a failure the next commit tries again. */
  const recordSoon = async () => {
    timer = undefined
    await metadata.setUnsynced(EVENT_LOG, print(log.position())).catch(() => {})
  }

  /** The state is reset first: if the process dies in between, it does not look like a loss. */
  const replace = async (run: () => Promise<void>) => {
    timer?.cancel()
    timer = undefined
    await metadata.set(EVENT_LOG, print({ ...log.position(), sequence: 0 }))
    await run()
    await record()
  }

  if ((await metadata.get(EVENT_LOG)) !== print(log.position())) await record()
  let closing: Promise<void> | undefined
  return {
    ...log,
    async append(events) {
      const accepted = await log.append(events)
      timer ??= clock.after(RECORD_DELAY_MS, recordSoon)
      return accepted
    },
    wipe: () => replace(log.wipe),
    snapshots: { ...log.snapshots, restore: (name) => replace(() => log.snapshots.restore(name)) },
    close() {
      timer?.cancel()
      closing ??= log.close().finally(record)
      return closing
    },
  }
}
