import type { SimulatedEvent, World } from './world.ts'

/** Uuids of producers have at most 19 digits. */
const FIRST_UUID = 10 ** 12
/** An arrival later than this was kept waiting: callbacks take at most 120 ms. */
const LATE_MS = 1000

/** What became of the events, by their numbers. */
export interface Arrivals {
  /** Draws an event and takes it down before it is published. Returns its uuid. */
  drawn(): string
  eventOf(eventUuid: string): SimulatedEvent
  accepted(eventUuid: string, atMs: number): void
  /** An attempt that its callback answered 2xx. `isFirst`: it is the first of its delivery. */
  arrived(eventUuid: string, place: number, atMs: number, isFirst: boolean): void
  isComplete(): boolean
  figures(): ArrivalFigures
}

export interface ArrivalFigures {
  events: number
  /** Pairs of an event and a webhook that it matches. */
  deliveries: number
  arrived: number
  /** Pairs that came more than once. */
  doubled: number
  /** First attempts that came a second or more after their event was accepted. */
  late: number
  longestMs: number
}

export function createArrivals({ draw, eventOf }: World): Arrivals {
  const events: number[] = []
  /** Of each event, where its pairs begin. */
  const starts: number[] = []
  const acceptedAtMs: number[] = []
  let counts = new Uint8Array(1 << 16)
  let pairs = 0
  let arrived = 0
  let doubled = 0
  let late = 0
  let longestMs = 0
  const numberOf = (eventUuid: string) => Number(eventUuid) - FIRST_UUID

  return {
    drawn() {
      const event = draw()
      starts.push(pairs)
      acceptedAtMs.push(Number.NaN)
      pairs += eventOf(event).places.length
      if (pairs > counts.length) {
        const larger = new Uint8Array(2 * counts.length)
        larger.set(counts)
        counts = larger
      }
      return String(FIRST_UUID + events.push(event) - 1)
    },
    eventOf: (eventUuid) => eventOf(events[numberOf(eventUuid)]!),
    accepted(eventUuid, atMs) {
      acceptedAtMs[numberOf(eventUuid)] = atMs
    },
    arrived(eventUuid, place, atMs, isFirst) {
      const number = numberOf(eventUuid)
      const at = eventOf(events[number]!).places.indexOf(place)
      if (at < 0) throw new Error(`event ${eventUuid} came to webhook ${place}, which it does not match`)
      const pair = starts[number]! + at
      counts[pair]! += 1
      if (counts[pair] === 1) arrived += 1
      if (counts[pair] === 2) doubled += 1
      if (!isFirst) return
      // An event may arrive before its append was answered.
      const waitedMs = atMs - (Number.isNaN(acceptedAtMs[number]) ? atMs : acceptedAtMs[number]!)
      longestMs = Math.max(longestMs, waitedMs)
      if (waitedMs >= LATE_MS) late += 1
    },
    isComplete: () => arrived === pairs,
    figures: () => ({ events: events.length, deliveries: pairs, arrived, doubled, late, longestMs }),
  }
}
