import { momentOf } from '../../../lib/ids.ts'
import type { Delivery, OpenCount } from '../../event-log.ts'
import type { Ack } from '../ack.ts'
import type { Batcher } from '../batcher.ts'
import { addOpen, type CountedOpen, type CountedWebhook } from './count-open.ts'
import type { DeliveryTracker, Reading } from './delivery-tracker.ts'
import { unpackDeliveries } from './pack-deliveries.ts'
import type { WatchedWriter } from './watch-silence.ts'

interface Parts {
  watched: Pick<WatchedWriter, 'writer' | 'answered' | 'followed'>
  tracker: DeliveryTracker
  batcher: Pick<Batcher<never, Ack>, 'betweenCommits' | 'whileNotCommitting' | 'touch' | 'pending'>
}

/** How many webhooks are counted in one call of the writer, so that commits pass between. */
const COUNTED_AT_ONCE = 10

/** How many deliveries are cancelled in one transaction. */
const CANCEL_SLICE = 1_000

/** Deliveries that wait in the log: parking, counting, reading back and cancelling. Reading and cancelling see every earlier acknowledgement. */
export function parkedWebhooks({ watched: { writer, answered, followed }, tracker, batcher }: Parts) {
  /** First attempts whose acknowledgement is not committed yet. A replay acknowledges nothing. */
  const acknowledged = (webhookId: string) =>
    batcher.pending().filter((ack) => ack.webhookId === webhookId && ack.origin === '' && ack.n === 1)

  /** Excludes held deliveries and those whose acknowledgement is not committed yet. */
  const query = (webhookId: string, { after, except }: Reading) => ({
    after,
    except: except.concat(acknowledged(webhookId).flatMap(({ sequence }) => (sequence > after ? [sequence] : []))),
  })

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

  /** Returns true when nothing is left to cancel. The next slice begins after this one, and not at what this one has cancelled. */
  const cancelSlice = async (webhookId: string, atMs: number, reason: string): Promise<boolean> => {
    const reading = tracker.reading(webhookId)
    const waiting = reading && query(webhookId, reading)
    const { count, last } = await writer.call('cancel', { webhookId, atMs, reason, waiting, limit: CANCEL_SLICE })
    if (reading && last !== undefined) tracker.cancelled(webhookId, reading, last)
    if (count > 0) return false
    batcher.touch()
    return !reading || tracker.read(webhookId, reading, [])
  }

  /** What of a webhook is open in memory, and what is to be counted in the file. A delivery is open until its acknowledgement is committed. */
  const countedOf = (webhookId: string): CountedWebhook & { held: CountedOpen } => {
    const reading = tracker.reading(webhookId)
    const held = [...tracker.heldOf(webhookId), ...acknowledged(webhookId).map(({ sequence }) => sequence)]
    const oldest = held.length === 0 ? undefined : held.reduce((one, other) => Math.min(one, other))
    return { webhookId, held: { count: held.length, oldest }, waiting: reading && query(webhookId, reading) }
  }

  const countSome = (webhookIds: readonly string[], limit: number) =>
    batcher.whileNotCommitting(async () => {
      const webhooks = webhookIds.map(countedOf)
      const found = await writer.call('countOpen', { webhooks, limit })
      return webhooks.map(({ webhookId, held }, place): [string, OpenCount] => {
        const { count, oldest } = addOpen(held, found[place]!)
        return [webhookId, { count: Math.min(count, limit), sinceMs: oldest === undefined ? undefined : momentOf(oldest) }]
      })
    })

  async function countAll(webhookIds: readonly string[], limit: number): Promise<Map<string, OpenCount>> {
    const counts: [string, OpenCount][] = []
    for (let place = 0; place < webhookIds.length; place += COUNTED_AT_ONCE)
      counts.push(...(await countSome(webhookIds.slice(place, place + COUNTED_AT_ONCE), limit)))
    return new Map(counts)
  }

  async function cancelAll(webhookId: string, atMs: number, reason: string): Promise<void> {
    while (!(await batcher.betweenCommits(() => cancelSlice(webhookId, atMs, reason))));
  }

  return {
    /** Held, retrying and waiting deliveries. */
    countOpen: (webhookIds: readonly string[], limit: number) => answered(() => countAll(webhookIds, limit)),
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
    cancel: (webhookId: string, atMs: number, reason: string) => followed(cancelAll(webhookId, atMs, reason)),
  }
}
