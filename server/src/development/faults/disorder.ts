import type { Endpoint } from '../../api/declare/endpoint.ts'
import { chosen, draw } from './draw.ts'
import type { Effect, Fault, FaultKind, Hit } from './fault.ts'

/**
 * What a disorder draws: what a platform does to its clients on a bad day, and nothing else.
 *
 * - `garbage` hits reads alone: no platform answers 200 to a write that it did not do.
 * - `drop`, `wrong_signature` and `garbage` in place of an event are never drawn, because a receiver that acknowledges them has lost the event.
 */
export const disorderKinds = ['status', 'delay', 'cut', 'garbage', 'duplicate', 'reorder'] as const satisfies readonly FaultKind[]

export type DisorderKind = (typeof disorderKinds)[number]

const kindsOf = {
  read: ['status', 'delay', 'cut', 'garbage'],
  write: ['status', 'delay', 'cut'],
  delivery: ['status', 'delay', 'cut', 'duplicate', 'reorder'],
} as const satisfies Record<string, readonly DisorderKind[]>

/** With what a call can be refused. */
export const disorderStatuses = [429, 500, 503] as const

/** What callbacks, or the proxies before them, are taken to have answered. */
const CALLBACK_STATUSES = [500, 502, 503, 504]

/** So many calls of one caller to one endpoint fail in a row, and so many attempts of one delivery in all: whoever tries again gets through. */
export const MOST_FAILURES = 2

/** The draws that are kept to be looked at. */
const MOST_DRAWN = 1000

/** The counters that are kept; beyond, the oldest begins again at 1. */
const MOST_COUNTERS = 10_000

export interface DisorderSettings {
  seed: number
  /** The share of calls and of attempts of deliveries that are hit. */
  calls: number
  deliveries: number
  kinds: readonly DisorderKind[]
  statuses: readonly number[]
  maxDelayMs: number
  /** Only calls of this app, and deliveries to it. */
  appId: string | undefined
}

/** A call whose caller is known. */
export interface DisturbedCall {
  /** Its endpoint as it is counted: `POST /2/posts`, in either dialect. */
  key: string
  /** The endpoint as it is shown. */
  what: string
  method: Endpoint['method']
  appId: string | undefined
  userId: string | undefined
}

/** An attempt of a delivery. */
export interface DisturbedSending {
  eventType: string
  eventUuid: string
  appId: string
  webhookId: string
  /** Whom the subscription is about. */
  userId: string | undefined
  /** The number of earlier attempts. */
  attempts: number
}

/** A fault that was drawn. */
export interface Drawn extends Hit, Pick<Fault, 'effect'> {
  id: string
  kind: 'call' | 'delivery'
  /** It was the so-manieth of its key. */
  count: number
  userId: string | undefined
  attempt?: number
}

export interface Disorder {
  readonly id: string
  readonly settings: DisorderSettings
  readonly createdAtMs: number
  /** How many calls and attempts were drawn for, and how many were hit. */
  readonly counts: Record<Drawn['kind'], { seen: number; hit: number }>
  /** The latest, oldest first. */
  readonly drawn: readonly Drawn[]
  takeCall(call: DisturbedCall): Drawn | undefined
  takeSending(sending: DisturbedSending): Drawn | undefined
}

interface Counter {
  count: number
  failures: number
}

/** Counters by key, of which the oldest are dropped. */
function createCounters() {
  const counters = new Map<string, Counter>()
  return (key: string): Counter => {
    const found = counters.get(key)
    if (found) return found
    if (counters.size === MOST_COUNTERS) counters.delete(counters.keys().next().value!)
    const made = { count: 0, failures: 0 }
    counters.set(key, made)
    return made
  }
}

const isFailure = ({ kind }: Effect) => kind === 'status' || kind === 'cut' || kind === 'garbage'

const keyOf = (...parts: readonly (string | number | undefined)[]) => parts.map((part) => part ?? '').join(' ')

/**
 * Draws faults. A call is counted by its endpoint, app and user, an attempt by its event type, app, user and number: so what runs beside does
 * not alter what one test gets. In the disorder of an app neither the app nor its users count, because a world has other ids in each run.
 */
export function createDisorder(id: string, settings: DisorderSettings, mostRetries: number, now: () => number): Disorder {
  const { seed, kinds, statuses, maxDelayMs, appId: ofApp } = settings
  const counts = { call: { seen: 0, hit: 0 }, delivery: { seen: 0, hit: 0 } }
  const drawn: Drawn[] = []
  const [callers, attempted, failed] = [createCounters(), createCounters(), createCounters()]
  const who = (appId: string | undefined, userId: string | undefined) => (ofApp === undefined ? keyOf(appId, userId) : '')

  const effectOf = (share: number, among: readonly DisorderKind[], statusesOf: readonly number[], key: string, count: number) => {
    const { isHit, kind: uniform, strength } = draw(seed, key, count)
    const possible = among.filter((one) => kinds.includes(one))
    if (isHit >= share || possible.length === 0) return undefined
    const kind = chosen(possible, uniform)
    if (kind === 'status') return { kind, status: chosen(statusesOf, strength) }
    if (kind === 'delay') return { kind, delayMs: Math.ceil(strength * maxDelayMs) }
    return { kind }
  }

  const keep = (one: Omit<Drawn, 'id' | 'atMs'>): Drawn => {
    counts[one.kind].hit += 1
    const number = counts.call.hit + counts.delivery.hit
    const kept = { ...one, id: `disorder-${seed}-${number}`, atMs: now() }
    drawn.push(kept)
    if (drawn.length > MOST_DRAWN) drawn.shift()
    return kept
  }

  return {
    id,
    settings,
    createdAtMs: now(),
    counts,
    drawn,
    takeCall({ key: endpoint, what, method, appId, userId }) {
      counts.call.seen += 1
      const key = keyOf(endpoint, who(appId, userId))
      const counter = callers(key)
      counter.count += 1
      const { count } = counter
      const effect = effectOf(settings.calls, method === 'GET' ? kindsOf.read : kindsOf.write, statuses, key, count)
      const fails = effect !== undefined && isFailure(effect)
      const isSpared = fails && counter.failures >= MOST_FAILURES
      counter.failures = fails && !isSpared ? counter.failures + 1 : 0
      return effect && !isSpared ? keep({ kind: 'call', effect, what, count, appId, userId }) : undefined
    },
    takeSending({ eventType, eventUuid, appId, webhookId, userId, attempts }) {
      counts.delivery.seen += 1
      const attempt = attempts + 1
      const key = keyOf(eventType, who(appId, userId), attempt)
      const counter = attempted(keyOf(key, webhookId))
      counter.count += 1
      const { count } = counter
      const effect = effectOf(settings.deliveries, kindsOf.delivery, CALLBACK_STATUSES, key, count)
      if (!effect) return undefined
      const failures = failed(keyOf(eventUuid, webhookId))
      if (isFailure(effect) && failures.failures >= Math.min(MOST_FAILURES, mostRetries)) return undefined
      if (isFailure(effect)) failures.failures += 1
      return keep({ kind: 'delivery', effect, what: eventType, count, appId, userId, webhookId, eventUuid, attempt })
    },
  }
}
