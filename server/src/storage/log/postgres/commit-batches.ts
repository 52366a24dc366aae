import type { Pool } from 'pg'
import type { Clock } from '../../../lib/clock.ts'
import { publicId } from '../../../lib/ids.ts'
import type { CommitListener, Delivery } from '../../event-log.ts'
import { asUnavailable, isUnavailable } from '../../unavailable.ts'
import type { WorkLease } from '../../work-lease.ts'
import type { Ack } from '../ack.ts'
import { Batcher } from '../batcher.ts'
import { type InDoubt, resolveInDoubt } from './in-doubt.ts'
import { CHANNEL } from './listen.ts'
import { type Ownership, TakenForDead } from './ownership.ts'
import type { Parked } from './parked.ts'
import { type Entry, type Key, writeBatch } from './write-batch.ts'

interface Parts {
  pool: Pool
  clock: Clock
  worker: number
  /** The next sequence number. */
  number(): number
  ownership: Ownership
  parked: Pick<Parked, 'has'>
  held(deliveries: Delivery[]): void
  stalled(error: unknown | null): void
  committed: CommitListener
  /** Deliveries that nobody holds have come to light. */
  work(): void
  /** Held as long as deliveries are this process's. */
  lease: WorkLease
}

export interface Commits {
  batcher: Batcher<Entry, Ack>
  /** These go back to the log with the next commit. */
  release(keys: readonly Key[]): void
}

export const uuidOf = ({ sequence, event }: Entry) => event.eventUuid ?? publicId(sequence)

/** How many deliveries of an event become this process's. */
const countOf = ({ mine }: Entry) => mine.filter(Boolean).length

/** Joins group commit with the statement that writes a batch: what is committed is handed out, or waits when its webhook is parked. */
export function commitBatches({ pool, clock, worker, number, ownership, parked, held, stalled, committed, work, lease }: Parts): Commits {
  let released: Key[] = []
  /** Events of a commit that broke off, and was not refused. Nothing is written before it is known what became of them. */
  let inDoubt: InDoubt = { sequences: [], owner: 0 }

  const write = async (entries: readonly Entry[], acks: readonly Ack[]) => {
    const going = released
    released = []
    try {
      if (inDoubt.sequences.length > 0 && (await resolveInDoubt(pool, inDoubt))) work()
      inDoubt = { sequences: entries.map(({ sequence }) => sequence), owner: ownership.id() }
      const repeated = await writeBatch(pool, { entries, acks, released: going, ownership, nowMs: clock.now() })
      inDoubt.sequences = []
      lease.end(going.length + acks.filter(({ origin }) => origin === '').length)
      if (going.length > 0) pool.query('select pg_notify($1, $2)', [CHANNEL, String(worker)]).catch(() => {})
      return new Set(repeated)
    } catch (error) {
      released = going.concat(released)
      if (error instanceof TakenForDead || !isUnavailable(asUnavailable(error))) inDoubt.sequences = []
      throw error
    }
  }

  /** A webhook that was parked while its commit was under way: what became this process's goes back. */
  const hold = (entry: Entry, deliveries: Delivery[]) => {
    const { sequence, event, mine } = entry
    for (const [place, { webhookId, match }] of event.targets.entries()) {
      if (!mine[place]) continue
      const { eventType, content } = event
      if (parked.has(webhookId)) release([{ sequence, webhookId }])
      else deliveries.push({ sequence, eventUuid: uuidOf(entry), eventType, webhookId, match, content, attempts: 0 })
    }
  }

  const attempt = async (entries: Entry[], acks: Ack[]) => {
    for (const entry of entries) {
      entry.sequence = number()
      entry.mine = entry.event.targets.map(({ webhookId, notSent }) => notSent === undefined && !parked.has(webhookId))
    }
    const mine = entries.reduce((sum, entry) => sum + countOf(entry), 0)
    if (mine > 0) await lease.begin(mine)
    return write(entries, acks).catch((error) => {
      lease.end(mine)
      throw error
    })
  }

  const commit = async (entries: Entry[], acks: Ack[]) => {
    const repeated = await attempt(entries, acks).catch((error) => {
      if (error instanceof TakenForDead) return attempt(entries, acks)
      throw error
    })
    const deliveries: Delivery[] = []
    for (const entry of entries) {
      entry.repeated = repeated.has(entry.sequence)
      if (entry.repeated) lease.end(countOf(entry))
      else hold(entry, deliveries)
    }
    if (deliveries.length > 0) held(deliveries)
  }

  const batcher = new Batcher<Entry, Ack>(clock, commit, stalled, committed)

  const release = (keys: readonly Key[]) => {
    for (const key of keys) released.push(key)
    if (keys.length > 0) batcher.touch()
  }

  return { batcher, release }
}
