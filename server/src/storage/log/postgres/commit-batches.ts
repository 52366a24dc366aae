import type { Pool } from 'pg'
import type { Clock } from '../../../lib/clock.ts'
import { publicId } from '../../../lib/ids.ts'
import type { CommitListener, Delivery, StreamEntry, StreamListener } from '../../event-log.ts'
import { asUnavailable, isUnavailable } from '../../unavailable.ts'
import type { WorkLease } from '../../work-lease.ts'
import type { Ack } from '../ack.ts'
import { Batcher } from '../batcher.ts'
import { streamEntriesOf } from '../stream-entries.ts'
import { type Ownership, OwnershipLost } from './ownership.ts'
import type { Parked } from './parked.ts'
import { type Entry, type Key, writeBatch } from './write-batch.ts'

/** A commit whose outcome is unknown, because the connection was lost. */
interface InDoubt {
  sequences: number[]
  /** The registration under which they were written. */
  owner: number
}

const resolve = `
  with taken_back as (
    delete from log_event where sequence = any ($1::bigint[]) and event_uuid is null returning sequence, targets
  ), indexed as (
    delete from log_delivery d using taken_back t cross join lateral jsonb_object_keys(t.targets) as w (id)
    where d.webhook_id = w.id and d.sequence = t.sequence
  ), streamed as (
    delete from log_stream s using taken_back t where s.sequence = t.sequence
  ), attempts as (
    delete from log_attempt a using taken_back t where a.sequence = t.sequence
  ), opened as (
    delete from log_open o using taken_back t where o.sequence = t.sequence
  )
  update log_open set owner = null
  where sequence = any ($1::bigint[]) and owner = $2 and sequence not in (select sequence from taken_back)`

interface Parts {
  pool: Pool
  clock: Clock
  worker: number
  /** The next sequence number. */
  number(): number
  ownership: Ownership
  parked: Pick<Parked, 'has'>
  held(deliveries: Delivery[]): void
  stream(): StreamListener
  stalled(error: unknown | null): void
  committed: CommitListener
  /** Called when there may be unowned deliveries. */
  work(): void
  /** Tells other processes of unowned deliveries. */
  callForWork(): void
  /** Another process sends what this one appends: it owns no deliveries. */
  handsOver: boolean
  /** Held while this process owns deliveries. */
  lease: WorkLease
}

/**
 * Resolves a commit whose outcome is unknown, once it has ended or can write nothing any more. The producers of its events got an error.
 *
 * An event with the producer's uuid stays if it exists, because the producer may have retried it meanwhile with any process; its
 * deliveries become unowned. An event with a uuid of the log's own is deleted. If the registration no longer exists, nothing is done: the
 * sequence numbers may belong to another process's events, and other processes take over what the registration owned.
 *
 * Its entries of streams were not handed over, and some of them may exist.
 */
async function resolveInDoubt({ pool, ownership, stream, work }: Parts, { sequences, owner }: InDoubt): Promise<void> {
  const isRegistered = await ownership.supersede()
  if (sequences.length === 0) return
  if (isRegistered && owner === ownership.id()) {
    const { rowCount } = await pool.query(resolve, [sequences, owner])
    if (rowCount !== 0) work()
  }
  stream().mayHave({ from: Math.min(...sequences), to: Math.max(...sequences) })
}

export interface Commits {
  batcher: Batcher<Entry, Ack>
  /** Releases these deliveries to the log with the next commit. */
  release(keys: readonly Key[]): void
  /** The same for deliveries of a claim whose outcome is unknown: first it has to end. */
  releaseClaimed(keys: readonly Key[]): void
  /** Whether there are such deliveries that are not known to be committed. */
  isReleasing(): boolean
}

export const uuidOf = ({ sequence, event }: Entry) => event.eventUuid ?? publicId(sequence)

/** How many deliveries of an event this process will own. */
const countOf = ({ mine }: Entry) => mine.filter(Boolean).length

/** Whether a delivery of this event is to be sent, by whichever process. */
const isSent = ({ event, repeated }: Entry) => !repeated && event.targets.some(({ notSent }) => notSent === undefined)

/** Connects the batcher with the statement that writes a batch. Committed deliveries are handed out, or wait in the log if their webhook is parked. */
export function commitBatches(parts: Parts): Commits {
  const { pool, clock, worker, number, ownership, parked, held, stream, stalled, committed, work, callForWork, handsOver, lease } = parts
  let released: Key[] = []
  /** Events of a commit whose outcome is unknown. It is resolved before anything else is written. */
  let inDoubt: InDoubt = { sequences: [], owner: 0 }
  /** Deliveries of claims whose outcome is unknown. Until a claim has ended, a release would not find what it has claimed. */
  const claimed: Key[] = []

  const resolveDoubts = async () => {
    const { length: ended } = claimed
    if (inDoubt.sequences.length === 0 && ended === 0) return
    await resolveInDoubt(parts, inDoubt)
    released.push(...claimed.splice(0, ended))
  }

  const write = async (entries: readonly Entry[], acks: readonly Ack[]) => {
    let releasing: Key[] = []
    try {
      await resolveDoubts()
      releasing = released
      released = []
      inDoubt = { sequences: entries.map(({ sequence }) => sequence), owner: ownership.id() }
      const repeated = await writeBatch(pool, { entries, acks, released: releasing, ownership, nowMs: clock.now(), worker })
      inDoubt.sequences = []
      lease.end(releasing.length + acks.filter(({ origin }) => origin === '').length)
      if (releasing.length > 0) callForWork()
      return { repeated: new Set(repeated), owner: inDoubt.owner }
    } catch (error) {
      released = releasing.concat(released)
      if (error instanceof OwnershipLost || !isUnavailable(asUnavailable(error))) inDoubt.sequences = []
      throw error
    }
  }

  /** Collects the committed deliveries to hand out. If the webhook was parked during the commit, they are released instead. */
  const hold = (entry: Entry, deliveries: Delivery[]) => {
    const { sequence, event, mine } = entry
    for (const [place, { webhookId, match }] of event.targets.entries()) {
      if (!mine[place]) continue
      const { eventType, content, traceparent } = event
      const traced = traceparent !== undefined && { traceparent }
      if (parked.has(webhookId)) release([{ sequence, webhookId }])
      else deliveries.push({ sequence, eventUuid: uuidOf(entry), eventType, webhookId, match, content, attempts: 0, ...traced })
    }
  }

  const attempt = async (entries: Entry[], acks: Ack[]) => {
    for (const entry of entries) {
      entry.sequence = entry.given ?? number()
      entry.mine = entry.event.targets.map(({ webhookId, notSent }) => !handsOver && notSent === undefined && !parked.has(webhookId))
    }
    const mine = entries.reduce((sum, entry) => sum + countOf(entry), 0)
    if (mine > 0) await lease.begin(mine)
    return write(entries, acks).catch((error) => {
      lease.end(mine)
      throw error
    })
  }

  const commit = async (entries: Entry[], acks: Ack[]) => {
    const { repeated, owner } = await attempt(entries, acks).catch((error) => {
      if (error instanceof OwnershipLost) return attempt(entries, acks)
      throw error
    })
    const deliveries: Delivery[] = []
    // The registration may have been lost since the commit: the deliveries belong to nobody then, or to another process.
    const isMine = owner === ownership.id()
    for (const entry of entries) {
      entry.repeated = repeated.has(entry.sequence)
      if (isMine && !entry.repeated) hold(entry, deliveries)
      else lease.end(countOf(entry))
    }
    if (deliveries.length > 0) held(deliveries)
    if (!isMine) work()
    if (handsOver && entries.some(isSent)) callForWork()
    const streamed: StreamEntry[] = []
    for (const entry of entries) if (!entry.repeated) streamEntriesOf(entry.event, entry.sequence, streamed)
    if (streamed.length > 0) stream().committed(streamed)
  }

  const batcher = new Batcher<Entry, Ack>(clock, commit, stalled, committed)

  const addTo = (list: () => Key[]) => (keys: readonly Key[]) => {
    for (const key of keys) list().push(key)
    if (keys.length > 0) batcher.touch()
  }
  const release = addTo(() => released)

  return { batcher, release, releaseClaimed: addTo(() => claimed), isReleasing: () => released.length + claimed.length > 0 }
}
