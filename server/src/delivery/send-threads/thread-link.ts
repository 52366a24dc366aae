import type { Worker } from 'node:worker_threads'
import type { Logger } from 'pino'
import { type Clock, endOfTurn } from '../../lib/clock.ts'
import { SECOND_MS } from '../../lib/time.ts'
import type { Listener } from '../send/address-guard.ts'
import { createDeadlines, type Due } from '../send/deadlines.ts'
import { type Outcome, SendFailure } from '../send/outcome.ts'
import { CLOSE, movedWith, type Numbered, type OutcomeBatch, packRequests, type ThreadRequest, unpackOutcomes } from './batches.ts'
import { keepThread } from './kept-thread.ts'

/** A thread that is later than its own deadline by this much does not respond, and is ended. */
const LATE_MS = 10 * SECOND_MS
/** After the whole process was frozen, its threads first report what has ended meanwhile. */
const AFTER_FREEZE_MS = SECOND_MS

/** A request that has no outcome yet. */
interface Flight extends Due {
  dueMs: number
  id: number
  out: ThreadRequest
  startedMs: number
  /** Its thread has ended once already. */
  isRepeated: boolean
  resolve: (outcome: Outcome) => void
}

export interface ThreadLinkOptions {
  start: () => Worker
  refuse: () => readonly Listener[]
  /** Of real time, as the deadlines in the thread are. */
  clock: Clock
  logger: Logger
  /** Called when the thread has ended by itself, and will start again. */
  threadFailed?: (() => void) | undefined
}

/** The requests of one sender thread, which go to it at the end of each turn of the event loop. */
export interface ThreadLink {
  send(out: ThreadRequest): Promise<Outcome>
  close(): Promise<void>
}

const isSame = (some: readonly Listener[], others: readonly Listener[]) =>
  some.length === others.length && some.every(({ address, port }, at) => address === others[at]!.address && port === others[at]!.port)

/** Postern's own listeners when they are others than at the last call. */
function createChangedListeners(refuse: () => readonly Listener[]) {
  let known: readonly Listener[] = []
  return {
    take() {
      const listeners = refuse()
      if (isSame(known, listeners)) return undefined
      known = [...listeners]
      return known
    },
    forget() {
      known = []
    },
  }
}

/** The requests without an outcome. Each ends once. */
function createFlights(clock: Clock, isLate: () => void) {
  const flights = new Map<number, Flight>()
  const deadlines = createDeadlines<Flight>(clock, ({ id }) => void clock.after(AFTER_FREEZE_MS, () => flights.has(id) && isLate()))

  const end = (flight: Flight, outcome: Outcome) => {
    flights.delete(flight.id)
    deadlines.remove(flight)
    flight.resolve(outcome)
  }

  return {
    end,
    get: (id: number) => flights.get(id),
    all: () => [...flights.values()],
    add: (flight: Flight) => void flights.set(flight.id, flight),
    /** The thread has this long, from now on. */
    posted(flight: Flight) {
      flight.dueMs = clock.elapsed() + flight.out.timeoutMs + LATE_MS
      deadlines.add(flight)
    },
    notPosted: (flight: Flight) => deadlines.remove(flight),
    fail(flight: Flight, { stage, message }: SendFailure) {
      const latencyMs = Math.round(clock.monotonic() - flight.startedMs)
      end(flight, { kind: 'failed', stage, message, latencyMs, restricted: true })
    },
  }
}

/**
 * waiting for the end of the turn, or for the thread to start → in the thread → ended, when the thread says so.
 * If the thread ends first, a delivery fails, and its retry plan follows. A GET, which is a challenge, is sent once more: a failed one would
 * disable its webhook.
 */
export function createThreadLink({ start, refuse, clock, logger, threadFailed }: ThreadLinkOptions): ThreadLink {
  let unsent: Flight[] = []
  let lastId = 0
  let isClosed = false
  const listeners = createChangedListeners(refuse)
  const flights = createFlights(clock, () => {
    logger.error('a sender thread does not respond: it is ended')
    kept.restart()
  })

  const post = () => {
    const thread = kept.running()
    if (!thread || unsent.length === 0) return
    const posted = unsent
    unsent = []
    for (const flight of posted) flights.posted(flight)
    const requests = posted.map((flight): Numbered<ThreadRequest> => [flight.id, flight.out])
    const batch = packRequests(requests, listeners.take())
    thread.postMessage(batch, movedWith(batch))
  }

  const enqueue = (flight: Flight) => {
    flights.add(flight)
    if (unsent.push(flight) === 1) void endOfTurn().then(post)
  }

  const threadEnded = (flight: Flight) => {
    if (isClosed) return flights.fail(flight, shuttingDown())
    if (flight.out.method !== 'GET' || flight.isRepeated) return flights.fail(flight, threadHasEnded())
    flights.notPosted(flight)
    flight.isRepeated = true
    enqueue(flight)
  }

  const kept = keepThread({
    start,
    clock,
    logger,
    failed: threadFailed,
    started() {
      listeners.forget()
      void endOfTurn().then(post)
    },
    message(batch: OutcomeBatch) {
      for (const [id, outcome] of unpackOutcomes(batch)) {
        const flight = flights.get(id)
        if (flight) flights.end(flight, outcome)
      }
    },
    ended() {
      const stillHere = new Set(unsent)
      for (const flight of flights.all()) if (!stillHere.has(flight)) threadEnded(flight)
    },
  })

  return {
    send: (out) =>
      new Promise((resolve) => {
        lastId += 1
        const flight: Flight = { id: lastId, out, startedMs: clock.monotonic(), dueMs: 0, isRepeated: false, resolve }
        if (isClosed) flights.fail(flight, shuttingDown())
        else enqueue(flight)
      }),
    async close() {
      isClosed = true
      for (const flight of unsent.splice(0)) flights.fail(flight, shuttingDown())
      await kept.close(CLOSE)
      for (const flight of flights.all()) flights.fail(flight, shuttingDown())
    },
  }
}

const shuttingDown = () => new SendFailure('shutting_down', 'Postern is shutting down')

const threadHasEnded = () =>
  new SendFailure('connection_lost', 'the thread of Postern that sent the request has ended before an answer came')
