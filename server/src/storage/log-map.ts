import { crc32 } from 'node:zlib'

/** How many slots webhooks and streams are divided between. It never changes: a slot says in which logs their events are. */
export const SLOTS = 256

/** The slot of a webhook, or of the stream of an app, by its id. */
export const slotOf = (id: string): number => crc32(id) % SLOTS

/** One of the logs of a state. */
export interface LogEntry {
  /** From 1. A number is given once. */
  log: number
  /** What the database of the log calls itself. */
  identity: string
  /** Its server and database, without user and password. */
  place: string
  /** It is in the database of the state. */
  isOfState: boolean
}

/** From `sinceMs` on what these slots have is appended to this log, until an assignment with a higher epoch has the slot. */
export interface Assignment {
  epoch: number
  log: number
  sinceMs: number
  slots: number[]
}

/** Which log has what. */
export interface LogMap {
  /** Names the state to its logs. */
  state: string
  /** Grows with each change. */
  epoch: number
  logs: LogEntry[]
  /** By epoch. A slot that was moved is in several, until its events have left the former log. */
  assignments: Assignment[]
}

/** Whether what the database of a log calls itself names this state. */
export const isOfMap = ({ state }: Pick<LogMap, 'state'>, identity: string): boolean => identity.startsWith(`${state} `)

/** Where what has an id is. */
export interface Place {
  /** The log that it is appended to. */
  log: number
  /** Logs that may still have events of before, the oldest first, and until when they were appended to. */
  former: readonly { log: number; untilMs: number }[]
}

/** The place of each slot. Empty before anything is assigned. */
export function placesOf({ assignments }: Pick<LogMap, 'assignments'>): Place[] {
  const places: Place[] = []
  for (const { log, sinceMs, slots } of assignments)
    for (const slot of slots) {
      const before = places[slot]
      places[slot] = { log, former: before ? [...before.former, { log: before.log, untilMs: sinceMs }] : [] }
    }
  return places
}

/** The slots that are appended to a log. */
export const slotsOf = (places: readonly Place[], log: number): number[] =>
  places.flatMap((place, slot) => (place.log === log ? [slot] : []))

/** Whether a log has slots, or may have events of slots that were moved away. */
export const isInUse = ({ assignments }: Pick<LogMap, 'assignments'>, number: number): boolean =>
  assignments.some(({ log }) => log === number)

/** Whether a database beside that of the state has slots or events. */
export const isDivided = (map: LogMap): boolean => map.logs.some(({ log, isOfState }) => !isOfState && isInUse(map, log))

/** Throws if a log that has events or slots is not named. */
export function assertComplete(map: LogMap, known: ReadonlySet<number>) {
  const missing = map.logs.filter(({ log }) => isInUse(map, log) && !known.has(log))
  if (missing.length === 0) return
  const named = missing.map(({ log, place }) => `event log ${log} at ${place}`).join(' and ')
  throw new Error(
    `POSTERN_LOG_URLS lacks ${named}, which ${missing.length === 1 ? 'has' : 'have'} slots or events: add the URL, and take it out once \`postern logs list\` says that the log is unused. If the database is lost for good, \`postern logs drain ${missing[0]!.log} --lost\` gives up what it had`,
  )
}

/** The map, with these slots moved to other logs from now on. */
export function assign(map: LogMap, moves: ReadonlyMap<number, number>, nowMs: number): LogMap {
  const epoch = map.epoch + 1
  const byLog = Map.groupBy(moves, ([, log]) => log)
  const added = [...byLog].map(([log, moved]): Assignment => ({ epoch, log, sinceMs: nowMs, slots: moved.map(([slot]) => slot) }))
  return { ...map, epoch, assignments: [...map.assignments, ...added] }
}

/** The map without a log that is lost for good: its slots are moved from now on, and nobody asks it for what it had. */
export function abandon(map: LogMap, lost: number, moves: ReadonlyMap<number, number>, nowMs: number): LogMap {
  const moved = assign(map, moves, nowMs)
  return { ...moved, assignments: moved.assignments.filter(({ log }) => log !== lost) }
}

/** All slots, divided evenly. */
export const divideEvenly = (logs: readonly number[]): Map<number, number> =>
  new Map(Array.from({ length: SLOTS }, (_, slot) => [slot, logs[slot % logs.length]!]))

/** The moves that give a log as many slots as the others have, from those that have most. */
export function movesTo(places: readonly Place[], log: number): Map<number, number> {
  const counts = new Map<number, number[]>()
  for (const [slot, place] of places.entries()) counts.set(place.log, [...(counts.get(place.log) ?? []), slot])
  const share = Math.floor(SLOTS / (counts.has(log) ? counts.size : counts.size + 1))
  const moves = new Map<number, number>()
  counts.delete(log)
  while (slotsOf(places, log).length + moves.size < share) {
    const largest = [...counts.values()].reduce((one, other) => (other.length > one.length ? other : one))
    moves.set(largest.pop()!, log)
  }
  return moves
}

/** The moves that leave a log without slots: each goes to the log that has the fewest. Undefined if no other log has any. */
export function movesFrom(places: readonly Place[], log: number): Map<number, number> | undefined {
  const counts = new Map<number, number>()
  for (const place of places) if (place.log !== log) counts.set(place.log, (counts.get(place.log) ?? 0) + 1)
  if (counts.size === 0) return undefined
  return new Map(
    slotsOf(places, log).map((slot) => {
      const [fewest] = [...counts].reduce((one, other) => (other[1] < one[1] ? other : one))
      counts.set(fewest, counts.get(fewest)! + 1)
      return [slot, fewest]
    }),
  )
}

/** Clocks of processes differ: an event may have a number of so long before or after its append. */
export const CLOCK_SKEW_MS = 3_600_000

/**
 * The map without what is no longer needed: a log whose oldest event is newer than the move of a slot to another one has nothing of that
 * slot any more, also where it has the slot again. An empty one may still get events from a process that does not know of the move yet: it
 * counts as if it had one of now.
 * `oldestMs` says how old the oldest event of a log is: undefined where it has none, and null where that is not known.
 */
export function forget(map: LogMap, nowMs: number, oldestMs: (log: number) => number | undefined | null): LogMap {
  const mayHave = (log: number, untilMs: number) => {
    const oldest = oldestMs(log)
    return oldest === null || (oldest ?? nowMs) < untilMs + CLOCK_SKEW_MS
  }
  /** Of each slot, which log has it next and since when. */
  const next: { log: number; sinceMs: number }[] = []
  const isNeeded = ({ log, sinceMs }: Assignment, slot: number) => {
    const after = next[slot]
    // Between two assignments to one log the slot is not elsewhere: what it had in between is forgotten.
    const needed = after === undefined || (after.log !== log && mayHave(log, after.sinceMs))
    next[slot] = { log: needed ? log : after.log, sinceMs }
    return needed
  }
  const assignments = map.assignments
    .toReversed()
    .map((one) => ({ ...one, slots: one.slots.filter((slot) => isNeeded(one, slot)) }))
    .filter(({ slots }) => slots.length > 0)
    .toReversed()
  const count = (all: readonly Assignment[]) => all.reduce((sum, { slots }) => sum + slots.length, 0)
  return count(assignments) === count(map.assignments) ? map : { ...map, epoch: map.epoch + 1, assignments }
}

/** The map as the state has it. */
export interface LogMapStore {
  /** Undefined before several logs were named. */
  read(): Promise<LogMap | undefined>
  /** Writes a map in place of the former one and announces it. Returns false if that was changed meanwhile. */
  replace(former: LogMap | undefined, map: LogMap): Promise<boolean>
  /** Keeps version 0.2 from starting beside several logs, which it does not know. `replace` does that too: this is for a restored map. */
  keepFormerOut(): Promise<void>
}
