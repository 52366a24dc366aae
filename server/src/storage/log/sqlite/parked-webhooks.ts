import type { Delivery } from '../../event-log.ts'
import type { Batcher } from '../batcher.ts'
import type { Coverage } from './coverage.ts'
import { unpackDeliveries } from './pack-deliveries.ts'
import type { WriterChannel } from './writer-channel.ts'

interface Parts {
  writer: WriterChannel
  coverage: Coverage
  batcher: Pick<Batcher<never, never>, 'alone' | 'touch'>
}

/** How many deliveries are cancelled in one transaction. */
const CANCEL_SLICE = 1_000

/** What waits in the log: parking, reading back and cancelling. Reading and cancelling see every settlement made before them. */
export function parkedWebhooks({ writer, coverage, batcher }: Parts) {
  /** These were read, or cancelled up to the last: none means that the webhook has caught up. */
  const passed = (webhookId: string, sequences: number[]) => {
    coverage.read(webhookId, sequences)
    batcher.touch()
  }

  const cancelSlice = async (webhookId: string, atMs: number, reason: string) => {
    const waiting = coverage.reading(webhookId)
    const settled = await writer.call('cancel', { webhookId, atMs, reason, waiting, limit: CANCEL_SLICE })
    if (settled === 0 && waiting) passed(webhookId, [])
    return settled > 0
  }

  return {
    park(webhookId: string, unsent: readonly Delivery[]) {
      coverage.park(
        webhookId,
        unsent.map(({ sequence }) => sequence),
      )
      batcher.touch()
    },
    read: (webhookId: string, limit: number): Promise<Delivery[]> =>
      batcher.alone(async () => {
        const reading = coverage.reading(webhookId)
        if (!reading) return []
        const deliveries = unpackDeliveries(await writer.call('read', { webhookId, ...reading, limit }))
        passed(
          webhookId,
          deliveries.map(({ sequence }) => sequence),
        )
        return deliveries
      }),
    async cancel(webhookId: string, atMs: number, reason: string): Promise<void> {
      while (await batcher.alone(() => cancelSlice(webhookId, atMs, reason)));
    },
  }
}
