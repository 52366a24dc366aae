import type { Clock, Timer } from '../lib/clock.ts'

/** The kinds of work for one webhook. They take turns, so that none starves another. */
export type Kind = 'live' | 'retry' | 'replay'

const KINDS: readonly Kind[] = ['live', 'retry', 'replay']

interface Lane<Item> {
  queues: Record<Kind, Queue<Item>>
  turn: number
  inFlight: number
  ready: boolean
}

/** First in, first out, without moving what stays. */
interface Queue<Item> {
  items: Item[]
  head: number
}

const lengthOf = <Item>({ items, head }: Queue<Item>) => items.length - head

function take<Item>(queue: Queue<Item>): Item | undefined {
  if (queue.head === queue.items.length) return undefined
  const item = queue.items[queue.head]
  queue.items[queue.head++] = undefined as Item
  if (queue.head > 256 && queue.head * 2 > queue.items.length) {
    queue.items = queue.items.slice(queue.head)
    queue.head = 0
  }
  return item
}

export interface LanesOptions<Item> {
  clock: Clock
  /** In flight per webhook, so that a slow callback delays nobody else. */
  perLane: number
  /** In flight over all webhooks, not counting what has been under way for `slowMs`. */
  window: number
  slowMs: number
  /** Does one piece of work; never rejects. */
  run(key: string, item: Item, kind: Kind): Promise<void>
}

export interface Lanes<Item> {
  push(key: string, kind: Kind, item: Item): void
  /** How many wait in a lane, in flight not counted. */
  waiting(key: string, kind: Kind): number
  /** Forgets everything that waits, and answers it. */
  clear(): Item[]
  /** Starts nothing until it is resumed. */
  pause(): void
  resume(): void
  /** Stops starting anything; resolves when nothing is in flight. */
  stop(): Promise<void>
}

/** Queues of work, one lane per webhook, each with its own limit in flight; ready lanes are served in turn. */
export function createLanes<Item>({ clock, perLane, window, slowMs, run }: LanesOptions<Item>): Lanes<Item> {
  const lanes = new Map<string, Lane<Item>>()
  const ready: Queue<string> = { items: [], head: 0 }
  /** When each young piece of work began, oldest first; one that is done or has grown slow is gone from here. */
  const young = new Set<{ sinceMs: number }>()
  let flying = 0
  let stopped = false
  let paused = false
  let idle: (() => void) | undefined
  let aging: Timer | undefined

  const laneOf = (key: string): Lane<Item> => {
    let lane = lanes.get(key)
    if (!lane) {
      const empty = (): Queue<Item> => ({ items: [], head: 0 })
      lane = { queues: { live: empty(), retry: empty(), replay: empty() }, turn: 0, inFlight: 0, ready: false }
      lanes.set(key, lane)
    }
    return lane
  }

  const isEmpty = ({ queues: { live, retry, replay } }: Lane<Item>) => lengthOf(live) + lengthOf(retry) + lengthOf(replay) === 0

  const markReady = (key: string, lane: Lane<Item>) => {
    if (lane.ready || lane.inFlight >= perLane || isEmpty(lane)) return
    lane.ready = true
    ready.items.push(key)
  }

  const next = (lane: Lane<Item>): [Kind, Item] | undefined => {
    for (let step = 0; step < KINDS.length; step += 1) {
      const kind = KINDS[(lane.turn + step) % KINDS.length]!
      const item = take(lane.queues[kind])
      if (item !== undefined) {
        lane.turn = (lane.turn + step + 1) % KINDS.length
        return [kind, item]
      }
    }
    return undefined
  }

  const finish = (key: string, lane: Lane<Item>, mark: { sinceMs: number }) => {
    young.delete(mark)
    lane.inFlight -= 1
    flying -= 1
    if (lane.inFlight === 0 && isEmpty(lane)) lanes.delete(key)
    else markReady(key, lane)
    if (flying === 0) idle?.()
    pump()
  }

  const start = (key: string, lane: Lane<Item>, [kind, item]: [Kind, Item]) => {
    const mark = { sinceMs: clock.monotonic() }
    young.add(mark)
    lane.inFlight += 1
    flying += 1
    void run(key, item, kind).then(() => finish(key, lane, mark))
  }

  /** Lets what has grown slow out of the window; when nothing has, comes back when the oldest will have. */
  const hasRoom = (): boolean => {
    if (young.size < window) return true
    for (const mark of young) {
      const leftMs = mark.sinceMs + slowMs - clock.monotonic()
      if (leftMs <= 0) young.delete(mark)
      else if (!aging && young.size >= window) {
        aging = clock.after(Math.ceil(leftMs), () => {
          aging = undefined
          pump()
        })
      }
      if (leftMs > 0) break
    }
    return young.size < window
  }

  function pump() {
    while (!stopped && !paused && lengthOf(ready) > 0 && hasRoom()) {
      const key = take(ready)!
      const lane = lanes.get(key)
      if (!lane) continue
      lane.ready = false
      if (lane.inFlight >= perLane) continue
      const work = next(lane)
      if (work) start(key, lane, work)
      markReady(key, lane)
    }
  }

  return {
    push(key, kind, item) {
      const lane = laneOf(key)
      lane.queues[kind].items.push(item)
      markReady(key, lane)
      pump()
    },
    waiting: (key, kind) => (lanes.has(key) ? lengthOf(lanes.get(key)!.queues[kind]) : 0),
    clear() {
      const dropped: Item[] = []
      for (const { queues } of lanes.values())
        for (const kind of KINDS) {
          dropped.push(...queues[kind].items.slice(queues[kind].head))
          queues[kind] = { items: [], head: 0 }
        }
      return dropped
    },
    pause() {
      paused = true
    },
    resume() {
      paused = false
      pump()
    },
    stop() {
      stopped = true
      aging?.cancel()
      return flying === 0 ? Promise.resolve() : new Promise((resolve) => (idle = resolve))
    },
  }
}
