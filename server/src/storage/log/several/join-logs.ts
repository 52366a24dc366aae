import type { EventLog } from '../../event-log.ts'
import type { Place } from '../../log-map.ts'
import type { StorageLog } from '../../storage-log.ts'
import { createListeners } from '../listeners.ts'
import type { Numbering, PostgresLog } from '../postgres/open-postgres-log.ts'
import { createAppend } from './append.ts'
import { type Asking, createAsk, sum, tag } from './ask.ts'
import { createHandling } from './handling.ts'
import { createCounting, createLooking } from './looking.ts'
import { LogAway, type Member } from './member.ts'

export interface JoinOptions {
  /** By their numbers; they may be added after this call, and before the first use. */
  members: ReadonlyMap<number, Member>
  /** The place of each slot, as it is now. */
  places(): readonly Place[]
  numbering: Numbering
  /** Throws while another process may have the numbers of this one. */
  assertWorker(): Promise<void> | void
  /** Called after each trim: what was moved away from a log may have left it. */
  trimmed(): Promise<void>
  logger: StorageLog | undefined
}

export interface JoinedLogs {
  port: EventLog
  /** Takes part in what one of the logs tells. Call it once for each, when it was opened. */
  listenTo(log: number, opened: PostgresLog): void
  /** A log can be used again, or for the first time. What others did there since a date may not have been heard. */
  returned(log: number, sinceMs: number): void
}

/** Each log trims what it has, one after the other. */
const createTrim =
  ({ numbers, isThere, use }: Asking, trimmed: JoinOptions['trimmed']): EventLog['trim'] =>
  async (beforeMs, { pause = async () => true, ...options } = {}) => {
    let goesOn = true
    let deleted = 0
    const pauseAll = async () => {
      goesOn = await pause()
      return goesOn
    }
    for (const log of numbers()) if (goesOn && isThere(log)) deleted += await use(log).trim(beforeMs, { ...options, pause: pauseAll })
    await trimmed()
    return deleted
  }

async function closeAll(members: Iterable<Member>) {
  const results = await Promise.allSettled([...members].map((member) => member.close()))
  for (const result of results) if (result.status === 'rejected') throw result.reason
}

/** What concerns all that the logs have. `replaced` is called when that is another now. */
const createWhole = ({ askAll, askEvery, eachThere, numbers, isThere, use }: Asking, replaced: () => void) => ({
  watchStreams: () => eachThere((log) => log.watchStreams()),
  callForWork: () => eachThere((log) => log.callForWork()),
  /** One that hangs keeps nobody waiting: the others can be used. */
  async probe() {
    const there = numbers().filter(isThere)
    if (there.length === 0) throw new LogAway(numbers(), 'None of them is there.')
    await Promise.any(there.map(async (log) => use(log).probe()))
  },
  flush: async () => void (await askAll((log) => log.flush())),
  async wipe() {
    await askEvery((log) => log.wipe())
    replaced()
  },
  snapshots: {
    save: async (name: string) => sum(await askEvery((log) => log.snapshots.save(name))),
    async restore(name: string) {
      await askEvery((log) => log.snapshots.restore(name))
      replaced()
    },
    drop: async (name: string) => void (await askAll((log) => log.snapshots.drop(name))),
  },
})

/** Returns the function that takes part in what a log tells. What it has is told as that of all, with its number. */
function createListenTo(listeners: ReturnType<typeof createListeners>, stalled: Map<number, unknown>, logger: StorageLog | undefined) {
  const { held, work, lost, committed, tookOver, stream } = listeners
  return (log: number, opened: PostgresLog) => {
    opened.onHeld((deliveries) => held(tag(deliveries, log)))
    opened.onWork(work)
    opened.onLost((isLost) => lost((delivery) => delivery.log === log && isLost(delivery)))
    opened.onCommit(committed)
    opened.onTakeOver(tookOver)
    opened.onStream({
      committed: (entries) => stream().committed(entries),
      mayHave: (range) => stream().mayHave({ ...range, log }),
      missed: (sinceMs) => stream().missed(sinceMs, log),
    })
    opened.onStalled((error) => {
      if (error === null) stalled.delete(log)
      else stalled.set(log, error)
      if (error === null) logger?.info({ log }, 'an event log accepts attempts again: its deliveries are sent again')
      else logger?.warn({ log }, 'an event log cannot record attempts: its deliveries are not sent until it can')
    })
  }
}

/**
 * Several logs as one. What goes to a webhook, or into the stream of an app, is appended to the log that has the slot of its id, so an event
 * is in each log that has a match, under the same sequence number and uuid, with its content.
 *
 * An append is answered once all logs have committed their parts. If one fails, what the others have is delivered, and the producer is told
 * to repeat: each log knows the uuids that it has. A log that is known to be away is not asked, and neither are the others then.
 *
 * A delivery belongs to the log that handed it out (`Delivery.log`): there it is acknowledged, confirmed and lost. A slot that was moved has
 * its former events in the former logs: everything that reads or changes what a webhook has asks those too.
 */
export function joinLogs({ members, places, numbering, assertWorker, trimmed, logger }: JoinOptions): JoinedLogs {
  const listeners = createListeners()
  /** Logs that cannot record attempts. */
  const stalled = new Map<number, unknown>()
  const asking = createAsk(members, places)
  const handling = createHandling(asking, stalled)
  const append = createAppend({ asking, numbering, assertWorker, work: listeners.work })
  let closing: Promise<void> | undefined
  return {
    port: {
      ...listeners.port,
      async append(events) {
        if (closing) throw new Error('the event log is closed')
        return await append(events)
      },
      ...handling.port,
      ...createLooking(asking),
      ...createCounting(asking),
      ...createWhole(asking, handling.clear),
      trim: createTrim(asking, trimmed),
      close() {
        closing ??= closeAll(members.values())
        return closing
      },
    },
    returned(log, sinceMs) {
      listeners.work()
      listeners.stream().missed(sinceMs, log)
    },
    listenTo: createListenTo(listeners, stalled, logger),
  }
}
