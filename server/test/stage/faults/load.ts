import { setTimeout as pause } from 'node:timers/promises'
import type { CountingReceiver } from '../counting-receiver.ts'
import type { Member } from './member.ts'

const EVENTS_A_REQUEST = 20
/** What of a source may be accepted and not yet have come everywhere. */
const MOST_OUTSTANDING = 600

/** Who gets the events of a source: a callback, or a stream. */
export interface Heard {
  /** How often each came, by uuid. */
  counts: ReadonlyMap<string, number>
}

/** A producer of the events of one user, which match the same webhooks and streams for as long as a run goes on. */
export interface Source {
  readonly user: string
  readonly eventType: string
  readonly heard: readonly Heard[]
  /** The uuids that were answered 202, in order. */
  readonly accepted: string[]
  /** How many faults there had been when each was accepted. */
  readonly faultsBefore: number[]
  /** How many of the first ones have come everywhere. */
  arrived(): number
}

export function createSource(user: string, eventType: string, heard: readonly Heard[]): Source {
  const accepted: string[] = []
  let arrived = 0
  const came = (uuid: string) => heard.every(({ counts }) => counts.has(uuid))
  return {
    user,
    eventType,
    heard,
    accepted,
    faultsBefore: [],
    arrived() {
      while (arrived < accepted.length && came(accepted[arrived]!)) arrived += 1
      return arrived
    },
  }
}

export interface Load {
  /** Those that calls are made to. */
  called: readonly Member[]
  receiver: CountingReceiver
  sources: readonly Source[]
  /** How many there have been. */
  faults: number
  /** Between two calls of a producer. */
  pauseMs: number
  isOver: boolean
  /** Told of each call of a producer that was answered 202, and how many milliseconds that took. */
  answered?(tookMs: number): void
}

/** Publishes events with uuids of its own, each again, with any process, until it is accepted. */
async function publishInTurn(load: Load, source: Source, first: number) {
  const { called, receiver, pauseMs } = load
  let tries = first
  for (let next = first; !load.isOver; next += EVENTS_A_REQUEST) {
    await receiver.when(() => load.isOver || source.accepted.length - source.arrived() < MOST_OUTSTANDING)
    const events = Array.from({ length: EVENTS_A_REQUEST }, (_, place) => ({
      event_uuid: String(next + place),
      event_type: source.eventType,
      user_id: source.user,
      payload: { n: place },
    }))
    for (; ; tries += 1) {
      const beganMs = performance.now()
      const status = await called[tries % called.length]!.operator('POST', '/operator/events', { events })
      if (status === 202) load.answered?.(performance.now() - beganMs)
      if (status === 202) break
      if (status !== undefined && status !== 503) throw new Error(`an accept was answered ${status}`)
      if (load.isOver) return
      await pause(50)
    }
    tries += 1
    for (const { event_uuid } of events) {
      source.accepted.push(event_uuid)
      source.faultsBefore.push(load.faults)
    }
    receiver.changed()
    if (pauseMs > 0) await pause(pauseMs)
  }
}

/** Changes the app again and again, so that processes are met inside transactions that hold it. */
async function changeInTurn(load: Load, member: Member) {
  while (!load.isOver) {
    await member.operator('PATCH', '/operator/apps/1', { webhook_limit: 50 })
    await pause(20)
  }
}

/** Publishes with so many producers for each source, and changes the app, until `run` has ended. Rejects if the load fails before. */
export async function underLoad<T>(load: Load, producers: number, run: () => Promise<T>): Promise<T> {
  const publishing = load.sources.flatMap((source) => Array.from({ length: producers }, () => source))
  const working = Promise.all([
    ...publishing.map((source, n) => publishInTurn(load, source, (n + 1) * 1_000_000_000)),
    ...load.called.map((member) => changeInTurn(load, member)),
  ])
  const failing = working.then((): never => {
    throw new Error('the load has ended')
  })
  failing.catch(() => {})
  try {
    return await Promise.race([run(), failing])
  } finally {
    load.isOver = true
    load.receiver.changed()
    await working
  }
}

/** For each number of faults before, how many accepted events have not come everywhere. */
export function missingOf({ sources }: Load): Map<number, number> {
  const missing = new Map<number, number>()
  for (const { heard, accepted, faultsBefore } of sources)
    for (const [place, uuid] of accepted.entries()) {
      if (heard.every(({ counts }) => counts.has(uuid))) continue
      const faults = faultsBefore[place]!
      missing.set(faults, (missing.get(faults) ?? 0) + 1)
    }
  return missing
}

export const acceptedBy = ({ sources }: Load) => sources.reduce((sum, { accepted }) => sum + accepted.length, 0)
