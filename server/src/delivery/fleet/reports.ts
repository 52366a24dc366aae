import type { Clock } from '../../lib/clock.ts'
import { randomUrlText } from '../../lib/crypto.ts'
import { type FeedChannel, MOST_MESSAGE_BYTES } from '../../storage/feed-channel.ts'
import { type BrokerState, brokerStates } from '../broker/broker-state.ts'

/** Whoever has not answered by then is silent. */
const PATIENCE_MS = 1000

/** A message that is not heard by then is late by as much at least. A scrape waits for a second. */
const LATE_MS = 900

/** How a process does. */
export interface ProcessReport {
  /** A name that it has given itself at its start. */
  process: string
  worker: number
  version: string
  startedAtMs: number
  /** When it began to count, or the beginning of the hour. */
  sinceMs: number
  /** What it counted in the last minutes, as `listRows` makes it. */
  rows: readonly unknown[]
  /** The deliveries that it has in memory. */
  inFlight: number
  waiting: number
  /** The longest delay of its event loop while it was asked; only in a report that says so. */
  loopDelayMs?: number | undefined
  /** Of one that takes events from a broker. */
  broker?: BrokerState
  /** Of several event logs the numbers of those that it knows, and of those that it cannot use. */
  logs?: readonly number[]
  logsAway?: readonly number[]
}

/** What a report is asked for: `loop` takes a moment, in which the event loop is watched. `load`: the load by app is saved first. */
export type Wanted = 'counts' | 'loop' | 'load'

export interface Answered extends ProcessReport {
  /** From the question until the answer was here, without what the process itself took for it. */
  afterMs: number
}

interface Answers {
  others: Answered[]
  /** From the question until this process heard it. Undefined where nobody was asked. */
  heardMs: number | undefined
}

interface Message {
  by: string
  /** To itself: nobody answers. */
  tests?: string
  asks?: { id: string; wants: Wanted }
  answers?: { id: string; tookMs: number; report: ProcessReport }
}

const isCount = (value: unknown) => typeof value === 'number' && Number.isFinite(value) && value >= 0

function isReport({ broker, ...report }: Partial<ProcessReport>) {
  const { process, worker, version, startedAtMs, sinceMs, rows, inFlight, waiting, loopDelayMs = 0, logs = [], logsAway = [] } = report
  const areTexts = typeof process === 'string' && typeof version === 'string'
  if (broker !== undefined && !brokerStates.includes(broker)) return false
  const counts = [worker, startedAtMs, sinceMs, inFlight, waiting, loopDelayMs]
  return areTexts && counts.every(isCount) && [rows, logs, logsAway].every(Array.isArray)
}

/** Reads a message. Whoever may connect to the database can send anything: what is no message of ours says nothing. */
function readMessage(text: string): Partial<Message> {
  try {
    const { by, tests, asks, answers } = JSON.parse(text) as Partial<Message>
    if (typeof by !== 'string') return {}
    if (typeof tests === 'string') return { by, tests }
    if (typeof asks?.id === 'string') return { by, asks }
    return typeof answers?.id === 'string' && isCount(answers.tookMs) && isReport(answers.report ?? {}) ? { by, answers } : {}
  } catch {
    return {}
  }
}

/** The text of a message. A report that is too long is sent without its oldest counts. */
function textOf(message: Message): string {
  const text = JSON.stringify(message)
  const rows = message.answers?.report.rows ?? []
  if (Buffer.byteLength(text) <= MOST_MESSAGE_BYTES || rows.length === 0) return text
  return textOf({ ...message, answers: { ...message.answers!, report: { ...message.answers!.report, rows: rows.slice(1) } } })
}

interface ReportsOptions {
  /** Undefined where no other process shares the database. */
  channel: FeedChannel | undefined
  clock: Clock
  /** The worker numbers of all processes. */
  livingWorkers: () => Promise<number[]>
  worker: number
  report: (wants: Wanted) => Promise<ProcessReport>
}

export interface Reports {
  /** Asks all processes that share the database, and waits a second at most. */
  ask(wants: Wanted): Promise<Answers>
  /** How long a message takes until this process hears it, 900 if it takes longer; undefined where no other process shares the database. */
  lagMs(): Promise<number | undefined>
}

/** How the processes of a database ask each other how they do, over the database. They say nothing that nobody asked for. */
export function createReports({ channel, clock, livingWorkers, worker, report }: ReportsOptions): Reports {
  const self = randomUrlText(6)
  const tested = new Map<string, () => void>()
  const open = new Map<string, { heard(): void; answered(tookMs: number, report: ProcessReport): void }>()

  const answer = async ({ id, wants }: NonNullable<Message['asks']>) => {
    const beganMs = clock.monotonic()
    const own = await report(wants)
    const tookMs = clock.monotonic() - beganMs
    await channel?.send([textOf({ by: self, answers: { id, tookMs, report: own } })])
  }

  channel?.listen({
    notified(text) {
      const { by, tests, asks, answers } = readMessage(text)
      if (tests) return by === self && tested.get(tests)?.()
      if (asks && by === self) open.get(asks.id)?.heard()
      else if (asks) answer(asks).catch(() => {})
      else if (answers) open.get(answers.id)?.answered(answers.tookMs, answers.report)
    },
    restored() {},
  })

  const askOthers = (through: FeedChannel, expected: number, wants: Wanted) =>
    new Promise<Answers>((resolve) => {
      const id = randomUrlText(6)
      const beganMs = clock.monotonic()
      const found: Answers = { others: [], heardMs: undefined }
      const end = () => {
        timer.cancel()
        open.delete(id)
        resolve(found)
      }
      const endIfAll = () => {
        if (found.others.length >= expected && found.heardMs !== undefined) end()
      }
      const timer = clock.after(PATIENCE_MS, end, { isUpkeep: true })
      open.set(id, {
        heard() {
          found.heardMs = clock.monotonic() - beganMs
          endIfAll()
        },
        answered(tookMs, other) {
          found.others.push({ ...other, afterMs: Math.max(0, clock.monotonic() - beganMs - tookMs) })
          endIfAll()
        },
      })
      through.send([textOf({ by: self, asks: { id, wants } })]).catch(end)
    })

  const hearOwn = (through: FeedChannel) =>
    new Promise<number | undefined>((resolve) => {
      const id = randomUrlText(6)
      const beganMs = clock.monotonic()
      const end = (ms: number | undefined) => {
        timer.cancel()
        tested.delete(id)
        resolve(ms)
      }
      const timer = clock.after(LATE_MS, () => end(LATE_MS), { isUpkeep: true })
      tested.set(id, () => end(clock.monotonic() - beganMs))
      through.send([JSON.stringify({ by: self, tests: id } satisfies Message)]).catch(() => end(undefined))
    })

  return {
    lagMs: async () => (channel?.isConnected() ? hearOwn(channel) : undefined),
    async ask(wants) {
      if (!channel?.isConnected()) return { others: [], heardMs: undefined }
      const others = (await livingWorkers()).filter((other) => other !== worker)
      return askOthers(channel, others.length, wants)
    },
  }
}
