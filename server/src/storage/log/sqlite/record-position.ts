import type { Clock, Timer } from '../../../lib/clock.ts'
import type { EventLog } from '../../event-log.ts'
import { EVENT_LOG } from '../../log-position.ts'
import type { Metadata } from '../../metadata.ts'
import type { SqliteLog } from './open-sqlite-log.ts'
import type { LogPosition } from './verify-log.ts'

/** How long after a commit the state is told, and so how much of a lost log it may not know of. */
const TELL_MS = 1_000

const print = ({ id, sequence }: LogPosition) => `${id} ${sequence}`

/** What the state was told last. */
export async function readPosition(metadata: Metadata): Promise<LogPosition | undefined> {
  const [id, sequence] = (await metadata.get(EVENT_LOG))?.split(' ') ?? []
  return id === undefined ? undefined : { id, sequence: Number(sequence) }
}

/**
 * Has the state know which log it goes with, and how far that goes: within a second of each commit, without a wait for the disk,
 * and exactly once the log is closed. It never knows more than was committed.
 */
export async function recordPosition(log: SqliteLog, metadata: Metadata, clock: Clock): Promise<EventLog> {
  let timer: Timer | undefined
  const told = () => metadata.set(EVENT_LOG, print(log.position()))

  /** What fails is told with the next commit. */
  const tell = async () => {
    timer = undefined
    await Promise.all([metadata.setUnsynced(EVENT_LOG, print(log.position())), log.markAgain()]).catch(() => {})
  }

  if ((await metadata.get(EVENT_LOG)) !== print(log.position())) await told()
  let closing: Promise<void> | undefined
  return {
    ...log,
    async append(events) {
      const accepted = await log.append(events)
      timer ??= clock.after(TELL_MS, tell)
      return accepted
    },
    /** The state forgets first: a process that dies in between leaves nothing that looks like a loss. */
    async wipe() {
      timer?.cancel()
      timer = undefined
      await metadata.set(EVENT_LOG, print({ ...log.position(), sequence: 0 }))
      await log.wipe()
      await told()
    },
    close() {
      timer?.cancel()
      closing ??= log.close().finally(told)
      return closing
    },
  }
}
