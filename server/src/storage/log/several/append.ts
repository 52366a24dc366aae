import { publicId } from '../../../lib/ids.ts'
import type { Accepted, EventLog, NewEvent, StreamTarget, WebhookTarget } from '../../event-log.ts'
import { isUnavailable, Unavailable } from '../../unavailable.ts'
import type { KnownTargets } from '../postgres/known-targets.ts'
import { assertStorable, type Numbering } from '../postgres/open-postgres-log.ts'
import type { Asking } from './ask.ts'
import { LogAway } from './member.ts'

/** What of an event goes to one log. */
interface Part {
  targets: WebhookTarget[]
  streams: StreamTarget[]
}

/** The parts of the events of an append that go to one log, with the places of the events. */
interface Share {
  events: NewEvent[]
  sequences: number[]
  at: number[]
}

/** What former logs have, by log and uuid. */
type Known = ReadonlyMap<number, ReadonlyMap<string, KnownTargets>>

const NOTHING: Known = new Map()

/** A log's own message says that nothing was changed, but another log may have its part. */
const partlyDone = (log: number, cause: unknown) =>
  new Unavailable(
    `The event log ${log} did not answer. What goes to other logs may have been accepted: publish again with the same event_uuid, and what is missing is added.`,
    { cause },
  )

const REFUSED = 'Events for its webhooks are refused until it is back. Nothing was changed; retry in a moment.'

function valueIn<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const found = map.get(key)
  if (found !== undefined) return found
  const made = make()
  map.set(key, made)
  return made
}

const idsOf = ({ targets, streams = [] }: NewEvent) => [...targets.map(({ webhookId }) => webhookId), ...streams.map(({ appId }) => appId)]

/** Asks former logs what they have of events whose slots were moved. One that is away is passed over: at-least-once allows what it hides. */
async function askFormer(events: readonly NewEvent[], { placeOf, isThere, use }: Asking): Promise<Known> {
  const uuids = new Map<number, Set<string>>()
  for (const event of events) {
    const { eventUuid } = event
    if (eventUuid === undefined) continue
    for (const id of idsOf(event)) for (const { log } of placeOf(id).former) valueIn(uuids, log, () => new Set<string>()).add(eventUuid)
  }
  const asked = [...uuids].filter(([log]) => isThere(log))
  return new Map(await Promise.all(asked.map(async ([log, some]) => [log, await use(log).known([...some])] as const)))
}

/** Divides an event between the logs, without what former logs have of it. */
function divide(event: NewEvent, sequence: number, known: Known, { placeOf, isThere, numbers }: Asking): Map<number, Part> {
  const { eventUuid, targets, streams = [] } = event
  const parts = new Map<number, Part>()
  const partOf = (log: number) => valueIn(parts, log, () => ({ targets: [], streams: [] }))
  const isKnown = (id: string, kind: keyof KnownTargets) =>
    eventUuid !== undefined && placeOf(id).former.some(({ log }) => known.get(log)?.get(eventUuid)?.[kind].has(id))
  for (const target of targets) if (!isKnown(target.webhookId, 'webhookIds')) partOf(placeOf(target.webhookId).log).targets.push(target)
  for (const target of streams) if (!isKnown(target.appId, 'appIds')) partOf(placeOf(target.appId).log).streams.push(target)
  if (targets.length === 0 && streams.length === 0) {
    // Whoever looks for it asks every log.
    const { log } = placeOf(eventUuid ?? String(sequence))
    partOf(isThere(log) ? log : (numbers().find(isThere) ?? log))
  }
  return parts
}

function share(events: readonly NewEvent[], sequences: readonly number[], known: Known, asking: Asking): [number, Share][] {
  const shares = new Map<number, Share>()
  for (const [at, { streams: _, ...event }] of events.entries())
    for (const [log, { targets, streams }] of divide(events[at]!, sequences[at]!, known, asking)) {
      const one = valueIn(shares, log, () => ({ events: [], sequences: [], at: [] }))
      one.events.push(streams.length === 0 ? { ...event, targets } : { ...event, targets, streams })
      one.sequences.push(sequences[at]!)
      one.at.push(at)
    }
  return [...shares]
}

export interface AppendOptions {
  asking: Asking
  numbering: Numbering
  /** Throws while another process may have the numbers of this one. */
  assertWorker(): Promise<void> | void
  /** There are deliveries that nobody holds. */
  work(): void
}

/** Returns the `append` of several logs. */
export function createAppend({ asking, numbering, assertWorker, work }: AppendOptions): EventLog['append'] {
  const { use, awayOf, wasMoved } = asking

  /** Nothing is written anywhere while a log that has to take part is away. */
  const assertThere = (logs: readonly number[]) => {
    const away = awayOf(logs)
    if (away.length > 0) throw new LogAway(away, REFUSED)
  }

  const isOfMoved = (event: NewEvent) => event.eventUuid !== undefined && idsOf(event).some(wasMoved)

  const onlyMoved = ({ targets, streams = [], ...event }: NewEvent): NewEvent => ({
    ...event,
    targets: targets.filter(({ webhookId }) => wasMoved(webhookId)),
    streams: streams.filter(({ appId }) => wasMoved(appId)),
  })

  /**
   * Returns which events were repeated. A log that has an event does not add targets to it, since they are those of new subscriptions. But
   * the target of a slot that has been moved there may be one that the first try could not append to the former log.
   */
  const appendShare = async (number: number, { events, sequences }: Share): Promise<boolean[]> => {
    const log = use(number)
    const repeated = (await log.append(events, sequences)).map((accepted) => accepted.repeated)
    const doubtful = events.filter((event, at) => repeated[at] && isOfMoved(event)).map(onlyMoved)
    if (doubtful.length === 0) return repeated
    const completed = await log.complete(doubtful)
    if (completed.size > 0) work()
    return repeated.map((isRepeated, at) => isRepeated && !completed.has(events[at]!.eventUuid!))
  }

  return async (events) => {
    if (events.length === 0) return []
    await assertWorker()
    events.forEach(assertStorable)
    const known = events.some(isOfMoved) ? await askFormer(events, asking) : NOTHING
    const sequences = events.map(() => numbering.next())
    const shares = share(events, sequences, known, asking)
    assertThere(shares.map(([log]) => log))
    const results = await Promise.allSettled(shares.map(([log, one]) => appendShare(log, one)))
    const accepted = events.map(({ eventUuid }, at): Accepted => ({ eventUuid: eventUuid ?? publicId(sequences[at]!), repeated: true }))
    for (const [place, result] of results.entries()) {
      const [log, { at }] = shares[place]!
      if (result.status === 'rejected')
        throw isUnavailable(result.reason) && shares.length > 1 ? partlyDone(log, result.reason) : result.reason
      for (const [number, isRepeated] of result.value.entries()) if (!isRepeated) accepted[at[number]!]!.repeated = false
    }
    return accepted
  }
}
