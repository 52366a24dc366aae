import type { Clock, Timer } from '../../lib/clock.ts'

/** An event as a callback got it. */
export interface ReceivedEvent {
  atMs: number
  /** The body as it came. */
  body: Buffer
  /** The signature header; null without one. */
  signature: string | null
  /** Whether the signature is that of the body, with a consumer secret of the app. */
  verified: boolean
  /** What the body says; null where it is not verified, or says nothing of it. */
  eventUuid: string | null
  eventType: string | null
  userId: string | null
}

/** A received event with its place. `duplicate`: one with the same `event_uuid` came before. */
export interface KeptEvent extends ReceivedEvent {
  /** From 1. */
  sequence: number
  duplicate: boolean
}

export interface EventQuery {
  /** Only those with a higher sequence number. */
  after: number
  eventType?: string
  limit: number
}

/** The events that one inbox received. */
export interface KeptEvents {
  add(event: ReceivedEvent): void
  /** Oldest first. */
  list(query: EventQuery): KeptEvent[]
  /** When the event with this sequence number came; undefined if it is not kept. */
  receivedAtMs(sequence: number): number | undefined
  has(eventUuid: string): boolean
  /** How many came, and how many of them are no longer kept. */
  counts(): { received: number; dropped: number }
  /** Resolves with the next event, after `waitMs` of real time, or when the inbox is closed. */
  changed(waitMs: number): Promise<void>
  close(): void
  isClosed(): boolean
}

/** The oldest events are dropped beyond either limit. */
export const MAX_EVENTS = 1000
const MAX_BYTES = 8 * 1024 * 1024
/** How many ids are remembered to tell duplicates. */
const MAX_IDS = 10_000

/** Remembers the last ids. */
function createSeenIds() {
  const seen = new Set<string>()
  return {
    has: (id: string) => seen.has(id),
    add(id: string) {
      seen.add(id)
      for (const oldest of seen) {
        if (seen.size <= MAX_IDS) return
        seen.delete(oldest)
      }
    },
  }
}

/** Those who wait for a change. `clock` is real time: moving Postern's clock must not end a wait for what really arrives. */
function createWaiting(clock: Pick<Clock, 'after'>) {
  const waiting = new Set<() => void>()
  return {
    wait: (ms: number) =>
      new Promise<void>((resolve) => {
        const end = () => {
          timer.cancel()
          waiting.delete(end)
          resolve()
        }
        const timer: Timer = clock.after(ms, end)
        waiting.add(end)
      }),
    wake() {
      for (const end of [...waiting]) end()
    },
  }
}

export function createKeptEvents(realClock: Pick<Clock, 'after'>): KeptEvents {
  const events: KeptEvent[] = []
  const seen = createSeenIds()
  const waiting = createWaiting(realClock)
  let received = 0
  let bytes = 0
  let isClosed = false

  return {
    add(event) {
      const { eventUuid, verified } = event
      const isKnown = verified && eventUuid !== null
      received += 1
      events.push({ ...event, sequence: received, duplicate: isKnown && seen.has(eventUuid) })
      if (isKnown) seen.add(eventUuid)
      bytes += event.body.length
      while (events.length > MAX_EVENTS || bytes > MAX_BYTES) bytes -= events.shift()!.body.length
      waiting.wake()
    },
    list: ({ after, eventType, limit }) =>
      events.filter((event) => event.sequence > after && (eventType === undefined || event.eventType === eventType)).slice(0, limit),
    receivedAtMs: (sequence) => events.find((event) => event.sequence === sequence)?.atMs,
    has: (eventUuid) => events.some((event) => event.eventUuid === eventUuid),
    counts: () => ({ received, dropped: received - events.length }),
    changed: (waitMs) => waiting.wait(waitMs),
    close() {
      isClosed = true
      waiting.wake()
    },
    isClosed: () => isClosed,
  }
}
