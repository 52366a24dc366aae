import type { Delivery } from '../../event-log.ts'
import type { Ack } from '../ack.ts'
import type { Batcher } from '../batcher.ts'
import type { CountedWebhook } from './count-open.ts'
import type { DeliveryTracker, Reading } from './delivery-tracker.ts'
import { unpackDeliveries } from './pack-deliveries.ts'
import type { WriterChannel } from './writer-channel.ts'

interface Parts {
  writer: WriterChannel
  tracker: DeliveryTracker
  batcher: Pick<Batcher<never, Ack>, 'betweenCommits' | 'whileNotCommitting' | 'touch' | 'pending'>
}

/** How many webhooks are counted in one call of the writer, so that commits pass between. */
const COUNTED_AT_ONCE = 10

/** How many deliveries are cancelled in one transaction. */
const CANCEL_SLICE = 1_000

/** Deliveries that wait in the log: parking, counting, reading back and cancelling. Reading and cancelling see every earlier acknowledgement. */
export function parkedWebhooks({ writer, tracker, batcher }: Parts) {
  /** Excludes held deliveries and those whose acknowledgement is not committed yet. */
  const query = (webhookId: string, { after, except }: Reading) => {
    const acknowledged = batcher.pending().filter((ack) => ack.webhookId === webhookId && ack.sequence > after)
    return { after, except: except.concat(acknowledged.map(({ sequence }) => sequence)) }
  }

  /** Undefined if the page has to be read again: it was empty, but the webhook was parked again meanwhile. */
  const readPage = async (webhookId: string, limit: number): Promise<Delivery[] | undefined> => {
    const reading = tracker.reading(webhookId)
    if (!reading) return []
    const found = unpackDeliveries(await writer.call('read', { webhookId, ...query(webhookId, reading), limit }))
    batcher.touch()
    const isDone = tracker.read(
      webhookId,
      reading,
      found.map(({ sequence }) => sequence),
    )
    return isDone ? found : undefined
  }

  /** Returns true when nothing is left to cancel. */
  const cancelSlice = async (webhookId: string, atMs: number, reason: string): Promise<boolean> => {
    const reading = tracker.reading(webhookId)
    const waiting = reading && query(webhookId, reading)
    const cancelled = await writer.call('cancel', { webhookId, atMs, reason, waiting, limit: CANCEL_SLICE })
    if (cancelled > 0) return false
    batcher.touch()
    return !reading || tracker.read(webhookId, reading, [])
  }

  /** What of a webhook is in memory, and what is to be counted in the file. */
  const countedOf = (webhookId: string): CountedWebhook & { held: number } => {
    const reading = tracker.reading(webhookId)
    const waiting = reading && { after: reading.after, except: reading.except }
    return { webhookId, held: tracker.heldCount(webhookId), waiting }
  }

  return {
    /** Held, retrying and waiting deliveries. */
    async countOpen(webhookIds: readonly string[], limit: number): Promise<Map<string, number>> {
      const counts = new Map<string, number>()
      for (let place = 0; place < webhookIds.length; place += COUNTED_AT_ONCE) {
        const webhooks = webhookIds.slice(place, place + COUNTED_AT_ONCE).map(countedOf)
        const found = await writer.call('countOpen', { webhooks, limit })
        for (const [at, { webhookId, held }] of webhooks.entries()) counts.set(webhookId, Math.min(held + found[at]!, limit))
      }
      return counts
    },
    park(webhookId: string, unsent: readonly Delivery[]) {
      tracker.park(
        webhookId,
        unsent.map(({ sequence }) => sequence),
      )
      batcher.touch()
    },
    async read(webhookId: string, limit: number): Promise<Delivery[]> {
      for (;;) {
        const found = await batcher.whileNotCommitting(() => readPage(webhookId, limit))
        if (found) return found
      }
    },
    async cancel(webhookId: string, atMs: number, reason: string): Promise<void> {
      while (!(await batcher.betweenCommits(() => cancelSlice(webhookId, atMs, reason))));
    },
  }
}
