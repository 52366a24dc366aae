import type { Delivery } from '../../event-log.ts'
import type { Batcher } from '../batcher.ts'
import { HELD_IN_TOTAL, HELD_PER_WEBHOOK } from '../recovery-limits.ts'
import type { DeliveryTracker } from './delivery-tracker.ts'
import { unpackDeliveries } from './pack-deliveries.ts'
import type { LogState } from './writer.ts'
import type { WriterChannel } from './writer-channel.ts'

const PAGE = 1_000

interface Parts {
  state: LogState
  writer: WriterChannel
  tracker: DeliveryTracker
  batcher: Pick<Batcher<never, never>, 'betweenCommits' | 'touch'>
  held(deliveries: Delivery[]): void
}

/**
 * Finds the deliveries from before this start that were never tried and to which the watermark applies. As many as fit are held in
 * memory; the rest waits in the log, with its webhook parked. Deliveries appended since the start are held or waiting already. The
 * returned function resolves to every parked webhook. After a failure the next call goes on where the last one came, so that nothing is
 * held twice; after a success it finds nothing new.
 */
export function createRecovery({ state, writer, tracker, batcher, held }: Parts): () => Promise<{ parked: string[] }> {
  const counts = new Map<string, number>()
  let total = 0
  let position = { after: state.watermark, afterWebhook: '\u{10ffff}' }
  let recovery: Promise<{ parked: string[] }> | undefined

  const park = ({ webhookId, sequence }: Delivery) => {
    tracker.park(webhookId, [sequence])
    batcher.touch()
  }

  const take = (delivery: Delivery): boolean => {
    const { webhookId, sequence } = delivery
    if (tracker.isParked(webhookId)) return false
    tracker.hold(webhookId, sequence)
    const count = (counts.get(webhookId) ?? 0) + 1
    const fits = count <= HELD_PER_WEBHOOK && total < HELD_IN_TOTAL
    if (!fits) park(delivery)
    counts.set(webhookId, count)
    if (fits) total++
    return fits
  }

  /** Returns false at the end. Runs between commits: what it parked is committed before the next page is read. */
  const page = async () => {
    const query = { ...position, upTo: state.lastSequence, limit: PAGE }
    const found = unpackDeliveries(await writer.call('scan', query))
    const taken = found.filter(take)
    const last = found.at(-1)
    if (last) {
      position = { after: last.sequence, afterWebhook: last.webhookId }
      tracker.reached(last.sequence - 1)
    } else tracker.scanned()
    if (taken.length > 0) held(taken)
    return last !== undefined
  }

  const recoverRest = async () => {
    while (await batcher.betweenCommits(page));
    return { parked: tracker.parkedWebhooks() }
  }

  return () => {
    recovery ??= recoverRest().catch((error) => {
      recovery = undefined
      throw error
    })
    return recovery
  }
}
