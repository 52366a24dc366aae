import { momentOf } from '../../../lib/ids.ts'
import { type EventLog, type OpenCount, RANGE_PAGE_BYTES, STREAM_PAGE_BYTES } from '../../event-log.ts'
import type { PostgresLog } from '../postgres/open-postgres-log.ts'
import { type Asking, countUpTo, first, tag } from './ask.ts'
import { LogAway } from './member.ts'
import { mergePages, mergeReportPages, mergeReports, mergeSlices } from './merge.ts'

type Counting = Pick<EventLog, 'unclaimedSinceMs' | 'dueRetries' | 'plannedRetries' | 'countOpen' | 'countRange' | 'extent'>

/** What is counted in all logs that are there. */
export function createCounting({ logsOf, isThere, askThere, askAll, askOf }: Asking): Counting {
  return {
    unclaimedSinceMs: async () => first(await askAll((log) => log.unclaimedSinceMs())),
    async dueRetries(nowMs, limit) {
      const found = await askAll((log) => log.dueRetries(nowMs, limit))
      return {
        count: countUpTo(
          limit,
          found.map(({ count }) => count),
        ),
        sinceMs: first(found.map(({ sinceMs }) => sinceMs)),
      }
    },
    plannedRetries: async (fromMs, toMs, limit) => countUpTo(limit, await askAll((log) => log.plannedRetries(fromMs, toMs, limit))),
    /** A webhook one of whose logs is away is left out. */
    async countOpen(webhookIds, limit) {
      const known = webhookIds.filter((id) => logsOf(id).every(isThere))
      const merged = new Map(known.map((id): [string, OpenCount] => [id, { count: 0, sinceMs: undefined }]))
      const logs = [...new Set(known.flatMap((id) => logsOf(id)))]
      if (logs.length === 0) return merged
      const idsIn = (number: number) => known.filter((id) => logsOf(id).includes(number))
      const counts = await askThere(logs, (log, number) => log.countOpen(idsIn(number), limit))
      for (const [id, { count, sinceMs }] of counts.flatMap((one) => [...one])) {
        const before = merged.get(id)!
        merged.set(id, { count: countUpTo(limit, [before.count, count]), sinceMs: first([before.sinceMs, sinceMs]) })
      }
      return merged
    },
    countRange: async (webhookId, fromMs, toMs, limit) =>
      countUpTo(limit, await askOf(webhookId, (log) => log.countRange(webhookId, fromMs, toMs, limit), fromMs)),
    async extent(limit) {
      const found = await askAll((log) => log.extent(limit))
      return {
        events: countUpTo(
          limit,
          found.map(({ events }) => events),
        ),
        oldestMs: first(found.map(({ oldestMs }) => oldestMs)),
      }
    },
  }
}

type Looking = Pick<EventLog, 'readStream' | 'range' | 'report' | 'reportPage' | 'search' | 'find'>

/** What is read from several logs, in the order of sequence numbers. */
export function createLooking({ logsOf, use, missing, askAll, askEvery, askOf }: Asking): Looking {
  /** An event is shown as far as it is known; a list of all must be whole. */
  const askFor = <T>({ webhookId, eventUuid }: { webhookId?: string; eventUuid?: string }, ask: (log: PostgresLog) => Promise<T>) => {
    if (webhookId !== undefined) return askOf(webhookId, ask)
    return eventUuid === undefined ? askEvery(ask) : askAll(ask)
  }
  return {
    readStream({ appId, after, before, limit, log: only }) {
      const readIn = (log: number) => async (from: number, most: number) => use(log).readStream({ appId, after: from, before, limit: most })
      return mergePages({
        after,
        limit,
        bytes: STREAM_PAGE_BYTES,
        read: (only === undefined ? logsOf(appId, momentOf(after)) : [only]).map(readIn),
      })
    },
    range(webhookId, fromMs, toMs, after, limit) {
      const readIn = (log: number) => async (from: number, most: number) =>
        tag(await use(log).range(webhookId, fromMs, toMs, from, most), log)
      return mergePages({ after, limit, bytes: RANGE_PAGE_BYTES, read: logsOf(webhookId, fromMs).map(readIn) })
    },
    async report(query) {
      const found = await askFor(query, (log) => log.report(query))
      return mergeReports(found.flat(), query)
    },
    reportPage: async (query) => mergeReportPages(await askFor(query, (log) => log.reportPage(query)), query),
    search: async (search) => mergeSlices(await askEvery((log) => log.search(search)), search),
    async find(eventUuid) {
      const found = (await askAll((log) => log.find(eventUuid))).filter((event) => event !== undefined)
      const away = missing()
      if (found.length === 0 && away.length > 0) throw new LogAway(away, 'The event may be there; retry in a moment.')
      if (found.length === 0) return undefined
      const earliest = found.reduce((one, other) => (other.sequence < one.sequence ? other : one))
      const targets = found.flatMap((event) => event.targets).sort((one, other) => (one.webhookId < other.webhookId ? -1 : 1))
      return { ...earliest, targets }
    },
  }
}
