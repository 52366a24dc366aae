import type { Delivery, DeliveryKey } from '../../event-log.ts'
import { CLOCK_SKEW_MS, type Place, slotOf } from '../../log-map.ts'
import { isUnavailable } from '../../unavailable.ts'
import type { PostgresLog } from '../postgres/open-postgres-log.ts'
import { LogAway, type Member } from './member.ts'

const NOT_WHOLE = 'A list over all logs would not be whole: name a webhook whose log is there, or retry.'
const RETRY = 'Nothing was changed; retry in a moment.'
const NOT_KNOWN = 'This process does not know it: add its URL to POSTERN_LOG_URLS and restart the process.'

type Ask<T> = (log: PostgresLog, number: number) => Promise<T>

/** Deliveries of one log, which they carry from here on. */
export function tag(deliveries: Delivery[], log: number): Delivery[] {
  for (const delivery of deliveries) delivery.log = log
  return deliveries
}

/** Ways to ask some of the logs, by who may be away. */
export function createAsk(members: ReadonlyMap<number, Member>, places: () => readonly Place[]) {
  const numbers = () => [...members.keys()]
  const isThere = (log: number) => members.get(log)?.isAway() === false
  const awayOf = (logs: readonly number[]) => logs.filter((log) => !isThere(log))
  /** Whether a log has slots, or may have events of slots that were moved away. */
  const isNeeded = (log: number) => places().some((place) => place.log === log || place.former.some((one) => one.log === log))
  const missing = () => awayOf(numbers()).filter(isNeeded)

  const use = (log: number): PostgresLog => {
    const member = members.get(log)
    if (!member) throw new LogAway([log], NOT_KNOWN)
    return member.use()
  }

  const placeOf = (id: string): Place => places()[slotOf(id)]!

  /** The logs that may have events of an id from a date on: the former ones first. */
  const logsOf = (id: string, fromMs = 0): number[] => {
    const { log, former } = placeOf(id)
    if (former.length === 0) return [log]
    const older = former.filter(({ untilMs }) => untilMs + CLOCK_SKEW_MS > fromMs).map((one) => one.log)
    return [...new Set([...older.filter((one) => one !== log), log])]
  }

  /** Asks these logs. One that is away, or goes away meanwhile, is left out. Rejects if none is there, or one fails otherwise. */
  const askThere = async <T>(logs: readonly number[], ask: Ask<T>): Promise<T[]> => {
    const there = logs.filter(isThere)
    const results = await Promise.allSettled(there.map((number) => ask(use(number), number)))
    const found: T[] = []
    for (const [at, result] of results.entries()) {
      if (result.status === 'fulfilled') found.push(result.value)
      else if (isThere(there[at]!) || !isUnavailable(result.reason)) throw result.reason
    }
    if (found.length === 0) throw new LogAway(logs, RETRY)
    return found
  }

  return {
    numbers,
    /** Logs that are away and without which a list of all would not be whole. */
    missing,
    isThere,
    awayOf,
    use,
    placeOf,
    logsOf,
    askThere,
    wasMoved: (id: string) => placeOf(id).former.length > 0,
    /** The log that has handed out a delivery, away or not. */
    holderOf: ({ log, webhookId }: DeliveryKey): PostgresLog => members.get(log ?? placeOf(webhookId).log)!.opened()!,
    opened: (log: number) => members.get(log)?.opened(),
    askAll: <T>(ask: Ask<T>): Promise<T[]> => askThere(numbers(), ask),
    /** Asks all logs for what would not be whole without one of them. */
    async askEvery<T>(ask: Ask<T>): Promise<T[]> {
      const away = missing()
      if (away.length > 0) throw new LogAway(away, NOT_WHOLE)
      return await Promise.all(
        numbers()
          .filter(isThere)
          .map((number) => ask(use(number), number)),
      )
    },
    /** Asks the logs that may have events of a webhook. Rejects if one is away. */
    askOf: <T>(webhookId: string, ask: Ask<T>, fromMs?: number): Promise<T[]> =>
      Promise.all(logsOf(webhookId, fromMs).map(async (number) => ask(use(number), number))),
    /** Does something with each log that is there. */
    eachThere(run: (log: PostgresLog) => void) {
      for (const number of numbers()) if (isThere(number)) run(use(number))
    },
  }
}
export type Asking = ReturnType<typeof createAsk>

export const sum = (counts: readonly number[]) => counts.reduce((all, one) => all + one, 0)

/** The first of some dates; undefined without any. */
export const first = (dates: readonly (number | undefined)[]): number | undefined => {
  const known = dates.filter((date) => date !== undefined)
  return known.length === 0 ? undefined : Math.min(...known)
}

/** Counts of several logs, up to a limit. */
export const countUpTo = (limit: number, counts: readonly number[]) => Math.min(limit, sum(counts))
