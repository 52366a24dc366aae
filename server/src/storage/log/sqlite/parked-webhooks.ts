import type { Delivery } from '../../event-log.ts'
import type { Ack } from '../ack.ts'
import type { Batcher } from '../batcher.ts'
import type { Coverage, Reading } from './coverage.ts'
import { unpackDeliveries } from './pack-deliveries.ts'
import type { WriterChannel } from './writer-channel.ts'

interface Parts {
  writer: WriterChannel
  coverage: Coverage
  batcher: Pick<Batcher<never, Ack>, 'betweenCommits' | 'touch' | 'pending'>
}

/** How many deliveries are cancelled in one transaction. */
const CANCEL_SLICE = 1_000

/** What waits in the log: parking, counting, reading back and cancelling. Reading and cancelling see every acknowledgement made before them. */
export function parkedWebhooks({ writer, coverage, batcher }: Parts) {
  /** What must not be found: what is held, and what was acknowledged while the last commit was under way. */
  const query = (webhookId: string, { after, except }: Reading) => {
    const acknowledged = batcher.pending().filter((ack) => ack.webhookId === webhookId)
    return { after, except: except.concat(acknowledged.map(({ sequence }) => sequence)) }
  }

  /** Undefined when the webhook was parked anew while nothing was found: to be read again. */
  const readPage = async (webhookId: string, limit: number): Promise<Delivery[] | undefined> => {
    const reading = coverage.reading(webhookId)
    if (!reading) return []
    const found = unpackDeliveries(await writer.call('read', { webhookId, ...query(webhookId, reading), limit }))
    batcher.touch()
    const isDone = coverage.read(
      webhookId,
      reading,
      found.map(({ sequence }) => sequence),
    )
    return isDone ? found : undefined
  }

  /** True at the end: nothing was left. */
  const cancelSlice = async (webhookId: string, atMs: number, reason: string): Promise<boolean> => {
    const reading = coverage.reading(webhookId)
    const waiting = reading && query(webhookId, reading)
    const acknowledged = await writer.call('cancel', { webhookId, atMs, reason, waiting, limit: CANCEL_SLICE })
    if (acknowledged > 0) return false
    batcher.touch()
    return !reading || coverage.read(webhookId, reading, [])
  }

  /** What is held, what is retrying, and what waits. */
  const countOpen = async (webhookId: string, limit: number): Promise<number> => {
    let count = coverage.heldCount(webhookId) + (await writer.call('countRetries', { webhookId, limit }))
    const reading = coverage.reading(webhookId)
    let after: number | null = reading?.after ?? null
    while (reading && after !== null && count < limit) {
      const found: { count: number; last: number | null } = await writer.call('countWaiting', { webhookId, after, except: reading.except })
      count += found.count
      after = found.last
    }
    return count
  }

  return {
    async countOpen(webhookIds: readonly string[], limit: number): Promise<Map<string, number>> {
      const counts = new Map<string, number>()
      for (const webhookId of webhookIds) counts.set(webhookId, await countOpen(webhookId, limit))
      return counts
    },
    park(webhookId: string, unsent: readonly Delivery[]) {
      coverage.park(
        webhookId,
        unsent.map(({ sequence }) => sequence),
      )
      batcher.touch()
    },
    async read(webhookId: string, limit: number): Promise<Delivery[]> {
      for (;;) {
        const found = await batcher.betweenCommits(() => readPage(webhookId, limit))
        if (found) return found
      }
    },
    async cancel(webhookId: string, atMs: number, reason: string): Promise<void> {
      while (!(await batcher.betweenCommits(() => cancelSlice(webhookId, atMs, reason))));
    },
  }
}
