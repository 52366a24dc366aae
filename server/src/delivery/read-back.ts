import type { Logger } from 'pino'
import type { Clock } from '../lib/clock.ts'
import type { Delivery, EventLog } from '../storage/event-log.ts'
import { isUnavailable } from '../storage/unavailable.ts'
import { AGAIN_MS } from './due-retries.ts'

export interface ReadBackOptions {
  log: Pick<EventLog, 'read'>
  clock: Clock
  logger: Logger
  /** Is given each delivery that is read. */
  hold(delivery: Delivery): void
  /** How many may be taken from the log at once. */
  pageSize(): number
}

/** Reads back the deliveries of parked webhooks, which wait in the log. */
export interface ReadBack {
  /** From here on the webhook's deliveries wait in the log. */
  park(webhookId: string): void
  isParked(webhookId: string): boolean
  /** Reads the webhook's next page, unless one is being read. One without a delivery means that it has caught up. Never rejects. */
  next(webhookId: string): Promise<void>
  /** Forgets everything: the log was wiped. */
  clear(): void
  stop(): void
}

export function createReadBack({ log, clock, logger, hold, pageSize }: ReadBackOptions): ReadBack {
  /** With how often they were parked: a reading that finds nothing ends only the parking it began in. */
  const parked = new Map<string, number>()
  let parkings = 0
  const reading = new Set<string>()
  let stopped = false

  /** Answers how many were found. */
  const readPage = async (webhookId: string): Promise<number> => {
    const parking = parked.get(webhookId)
    const page = await log.read(webhookId, pageSize())
    if (page.length === 0 && parked.get(webhookId) === parking) parked.delete(webhookId)
    for (const delivery of page) hold(delivery)
    return page.length
  }

  const failed = (error: unknown, webhookId: string) => {
    if (!isUnavailable(error)) logger.error({ err: error, webhook_id: webhookId }, 'waiting deliveries could not be read')
    clock.after(AGAIN_MS, () => void next(webhookId))
  }

  async function next(webhookId: string): Promise<void> {
    if (reading.has(webhookId)) return
    reading.add(webhookId)
    try {
      let found = 0
      while (found === 0 && parked.has(webhookId) && !stopped) found = await readPage(webhookId)
    } catch (error) {
      failed(error, webhookId)
    } finally {
      reading.delete(webhookId)
    }
  }

  return {
    park: (webhookId) => void parked.set(webhookId, ++parkings),
    isParked: (webhookId) => parked.has(webhookId),
    next,
    clear: () => parked.clear(),
    stop() {
      stopped = true
    },
  }
}
