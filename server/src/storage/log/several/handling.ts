import { momentOf } from '../../../lib/ids.ts'
import type { Delivery, EventLog, Reopened } from '../../event-log.ts'
import { isUnavailable, Unavailable } from '../../unavailable.ts'
import type { PostgresLog } from '../postgres/open-postgres-log.ts'
import { type Asking, first, sum, tag } from './ask.ts'
import { LogAway } from './member.ts'
import { createParkings } from './parkings.ts'

type Handling = Pick<
  EventLog,
  'confirmHeld' | 'acknowledge' | 'recordReplay' | 'park' | 'read' | 'takeDue' | 'nextDueMs' | 'reopen' | 'cancel' | 'recover'
>

/** Due retries of all logs, in equal parts as long as there are enough. */
function createTakeDue({ numbers, isThere, use }: Asking): EventLog['takeDue'] {
  return async (nowMs, limit, except) => {
    const found: Delivery[] = []
    let failure: unknown
    let logs = numbers().filter(isThere)
    if (logs.length === 0) throw new LogAway(numbers(), 'Retry in a moment.')
    while (found.length < limit && logs.length > 0) {
      const each = Math.ceil((limit - found.length) / logs.length)
      const results = await Promise.allSettled(logs.map(async (log) => use(log).takeDue(nowMs, each, except)))
      const full: number[] = []
      for (const [at, result] of results.entries()) {
        const log = logs[at]!
        if (result.status === 'fulfilled') {
          found.push(...tag(result.value, log))
          if (result.value.length === each) full.push(log)
        } else if (isThere(log)) failure ??= result.reason
      }
      logs = full
    }
    // What was taken is held: it must be handed out.
    if (failure !== undefined && found.length === 0) throw failure
    return found.sort((one, other) => one.dueMs! - other.dueMs!)
  }
}

/** Every log walks to the same sequence number: that of the first that has enough. */
function createReopen({ logsOf, use, askOf }: Asking): EventLog['reopen'] {
  return async (reopening) => {
    const { webhookId, after: from } = reopening
    const fromMs = momentOf(from)
    const [only, ...others] = logsOf(webhookId, fromMs)
    if (others.length === 0) return use(only!).reopen(reopening)
    const looked = await askOf(webhookId, (log) => log.reopen({ ...reopening, isDryRun: true }), fromMs)
    const next = first(looked.map((one) => one.next ?? undefined)) ?? null
    const before = next === null ? reopening.before : next + 1
    const walk = async (log: PostgresLog) => {
      let count = 0
      for (let after: number | null = from; after !== null; ) {
        const reopened: Reopened = await log.reopen({ ...reopening, after, before })
        count += reopened.count
        after = reopened.next
      }
      return count
    }
    return { count: sum(await askOf(webhookId, walk, fromMs)), next }
  }
}

/** Takes over in each log that is there. `parked` is told of each webhook that a log has parked. */
function createRecover({ numbers, isThere, use }: Asking, parked: (webhookId: string, log: number) => void): EventLog['recover'] {
  /** Webhooks that a log has parked and that nobody was told of, because another log failed. */
  let unreported: string[] = []
  return async () => {
    const there = numbers().filter(isThere)
    const results = await Promise.allSettled(there.map(async (log) => use(log).recover()))
    let failure: unknown
    for (const [at, result] of results.entries()) {
      const log = there[at]!
      if (result.status === 'rejected') {
        if (isThere(log) || !isUnavailable(result.reason)) failure ??= result.reason
        continue
      }
      for (const webhookId of result.value.parked) parked(webhookId, log)
      unreported.push(...result.value.parked)
    }
    if (failure !== undefined) throw failure
    const all = [...new Set(unreported)]
    unreported = []
    return { parked: all }
  }
}

/** What is done with deliveries. `stalled` has the logs that cannot record attempts, with the error. */
export function createHandling(asking: Asking, stalled: ReadonlyMap<number, unknown>): { port: Handling; clear(): void } {
  const { isThere, use, placeOf, logsOf, holderOf, opened, askThere, askAll } = asking
  const parkings = createParkings()

  /** Reads what waits in one log after the other. One that is away does not keep back what the others have. */
  const read = async (webhookId: string, limit: number): Promise<Delivery[]> => {
    let failure: unknown
    for (const log of parkings.logsOf(webhookId)) {
      const parking = parkings.parking(webhookId, log)
      try {
        const found = await use(log).read(webhookId, limit)
        if (found.length > 0) return tag(found, log)
        parkings.end(webhookId, log, parking)
      } catch (error) {
        if (!isUnavailable(error)) throw error
        failure ??= error
      }
    }
    if (failure !== undefined) throw failure
    return []
  }

  const port: Handling = {
    confirmHeld(delivery) {
      const { log = placeOf(delivery.webhookId).log } = delivery
      if (isThere(log) && !stalled.has(log)) return use(log).confirmHeld(delivery)
      return Promise.reject(new Unavailable(`The event log ${log} cannot record attempts.`, { cause: stalled.get(log) }))
    },
    acknowledge: (delivery, attempt, retryAtMs) => holderOf(delivery).acknowledge(delivery, attempt, retryAtMs),
    recordReplay: (delivery, replayJobId, attempt) => holderOf(delivery).recordReplay(delivery, replayJobId, attempt),
    park(webhookId, unsent) {
      const byLog = Map.groupBy(unsent, ({ log }) => log!)
      for (const log of new Set([...byLog.keys(), placeOf(webhookId).log])) {
        if (!opened(log)) continue
        parkings.add(webhookId, log)
        opened(log)!.park(webhookId, byLog.get(log) ?? [])
      }
    },
    read,
    takeDue: createTakeDue(asking),
    nextDueMs: async (except) => first(await askAll((log) => log.nextDueMs(except))),
    reopen: createReopen(asking),
    // What a log that is away has of a deleted webhook is recorded as not sent when its turn comes.
    async cancel(webhookId, atMs, reason) {
      const there = logsOf(webhookId).filter(isThere)
      if (there.length > 0) await askThere(there, (log) => log.cancel(webhookId, atMs, reason))
    },
    recover: createRecover(asking, parkings.add),
  }
  return { port, clear: parkings.clear }
}
