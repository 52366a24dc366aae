import type { Delivery } from '../../event-log.ts'
import type { Batcher } from '../batcher.ts'
import type { Coverage } from './coverage.ts'
import { unpackDeliveries } from './pack-deliveries.ts'
import type { LogState } from './writer.ts'
import type { WriterChannel } from './writer-channel.ts'

const PAGE = 1_000
/** A webhook with more than this is parked, and its rest stays in the log; so is every webhook once so many are held in all. */
const HELD_PER_WEBHOOK = 250
const HELD_IN_ALL = 10_000

interface Parts {
  state: LogState
  writer: WriterChannel
  coverage: Coverage
  batcher: Pick<Batcher<never, never>, 'betweenCommits' | 'touch'>
  held(deliveries: Delivery[]): void
}

/**
 * Takes up what no attempt was made of before this start, and what the watermark covers: in memory what fits, the rest waits with
 * its webhook parked. What was appended since the start is held or waiting already. Answers every webhook that is parked.
 */
export async function recoverUntried({ state, writer, coverage, batcher, held }: Parts): Promise<{ parked: string[] }> {
  const counts = new Map<string, number>()
  let inAll = 0
  let position = { after: state.watermark, afterWebhook: '\u{10ffff}' }

  const park = ({ webhookId, sequence }: Delivery) => {
    coverage.park(webhookId, [sequence])
    batcher.touch()
  }

  const take = (delivery: Delivery): boolean => {
    const { webhookId, sequence } = delivery
    if (coverage.isParked(webhookId)) return false
    coverage.hold(webhookId, sequence)
    const count = (counts.get(webhookId) ?? 0) + 1
    const fits = count <= HELD_PER_WEBHOOK && inAll < HELD_IN_ALL
    if (!fits) park(delivery)
    counts.set(webhookId, count)
    if (fits) inAll++
    return fits
  }

  /** False at the end. Runs while no commit is under way: what it parked is committed before the next page is read. */
  const page = async () => {
    const query = { ...position, upTo: state.lastSequence, limit: PAGE }
    const found = unpackDeliveries(await writer.call('scan', query))
    const taken = found.filter(take)
    const last = found.at(-1)
    if (last) {
      position = { after: last.sequence, afterWebhook: last.webhookId }
      coverage.reached(last.sequence - 1)
    } else coverage.scanned()
    if (taken.length > 0) held(taken)
    return last !== undefined
  }

  while (await batcher.betweenCommits(page));
  return { parked: coverage.parkedWebhooks() }
}
