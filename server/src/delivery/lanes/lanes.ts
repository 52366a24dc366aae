import type { Clock, Timer } from '../../lib/clock.ts'
import { emptyQueue, lengthOf, take, takeAll } from '../../lib/queue.ts'
import { checkedTransitions } from '../../lib/transitions.ts'
import { type Begun, beginNext, clearLane, createLane, endWork, type Lane, updateState, type WorkKind } from './lane.ts'

/** Work in the window. */
interface Mark {
  sinceMs: number
}

interface WindowOptions {
  clock: Clock
  /** How much may be in flight, without slow work. */
  size: number
  /** Work that has been running for this long is slow and no longer counts. */
  slowMs: number
  /** Called when there is room again because work has become slow. */
  onRoom(): void
}

/** Counts the work in flight over all lanes. */
interface Window {
  begin(): Mark
  end(mark: Mark): void
  hasRoom(): boolean
  close(): void
}

/** Limits the work in flight. Slow work does not count, so that callbacks that hang do not delay other deliveries. */
function createWindow({ clock, size, slowMs, onRoom }: WindowOptions): Window {
  /** The counted work, oldest first. */
  const counted = new Set<Mark>()
  let timer: Timer | undefined

  const checkLater = (afterMs: number) => {
    timer ??= clock.after(Math.ceil(afterMs), () => {
      timer = undefined
      onRoom()
    })
  }

  /** Drops slow work. If the window is still full, checks again when the oldest becomes slow. */
  const dropSlow = () => {
    for (const mark of counted) {
      const leftMs = mark.sinceMs + slowMs - clock.monotonic()
      if (leftMs <= 0) counted.delete(mark)
      else {
        if (counted.size >= size) checkLater(leftMs)
        return
      }
    }
  }

  return {
    begin() {
      const mark = { sinceMs: clock.monotonic() }
      counted.add(mark)
      return mark
    },
    end: (mark) => void counted.delete(mark),
    hasRoom() {
      if (counted.size >= size) dropSlow()
      return counted.size < size
    },
    close: () => timer?.cancel(),
  }
}

export interface LanesOptions<Item> {
  clock: Clock
  /** The maximum in flight per webhook, so that a slow callback does not delay others. */
  perLane: number
  /** The maximum in flight over all webhooks, without work that has been running for `slowMs`. */
  window: number
  slowMs: number
  /** Does one piece of work. Must never reject. */
  run(key: string, item: Item, kind: WorkKind): Promise<void>
}

export interface Lanes<Item> {
  push(key: string, kind: WorkKind, item: Item): void
  /** How many wait in a lane, without those in flight. */
  waiting(key: string, kind: WorkKind): number
  /** The lanes with waiting work or work in flight. */
  all(): Iterable<Lane<Item>>
  /** Removes those of the waiting work, or all of it, and returns them. */
  clear(isCleared?: (item: Item) => boolean): Item[]
  /** Starts no work until `resume`. */
  pause(): void
  resume(): void
  isPaused(): boolean
  /** Starts no more work; resolves when nothing is in flight. */
  stop(): Promise<void>
}

type Mode = 'running' | 'paused' | 'stopped'

const transition = checkedTransitions<Mode>('the lanes', {
  running: ['paused', 'stopped'],
  paused: ['running', 'stopped'],
  stopped: [],
})

/** Once stopped it stays so. */
function createMode() {
  let mode: Mode = 'running'
  return {
    is: (other: Mode) => mode === other,
    change(to: Mode) {
      if (mode !== to && mode !== 'stopped') mode = transition(mode, to)
    },
  }
}

const NOTHING = emptyQueue<never>()

function laneOf<Item>(lanes: Map<string, Lane<Item>>, key: string, perLane: number): Lane<Item> {
  const found = lanes.get(key)
  if (found) return found
  const lane = createLane<Item>(key, perLane)
  lanes.set(key, lane)
  return lane
}

/** Queues of work: one lane per webhook, each with its own limit in flight. Ready lanes take turns. */
export function createLanes<Item>({ clock, perLane, window: size, slowMs, run }: LanesOptions<Item>): Lanes<Item> {
  const lanes = new Map<string, Lane<Item>>()
  /** The ready lanes, each once, except the one whose work is being started. */
  const ready = emptyQueue<Lane<Item>>()
  const window = createWindow({ clock, size, slowMs, onRoom: () => pump() })
  const mode = createMode()
  let inFlight = 0
  let landed: (() => void) | undefined

  const update = (lane: Lane<Item>) => {
    if (updateState(lane)) ready.items.push(lane)
    else if (lane.running.length === 0 && lane.state === 'idle') lanes.delete(lane.key)
  }

  const end = (lane: Lane<Item>, begun: Begun<Item>, mark: Mark) => {
    window.end(mark)
    endWork(lane, begun)
    inFlight -= 1
    update(lane)
    if (inFlight === 0) landed?.()
    pump()
  }

  const begin = (lane: Lane<Item>) => {
    const begun = beginNext(lane)
    const [kind, item] = begun
    const mark = window.begin()
    inFlight += 1
    void run(lane.key, item, kind).then(() => end(lane, begun, mark))
  }

  /** Starts as much work as possible. A lane that is still ready goes to the end of the queue. */
  function pump() {
    while (mode.is('running') && lengthOf(ready) > 0 && window.hasRoom()) {
      const lane = take(ready)!
      begin(lane)
      updateState(lane)
      if (lane.state === 'ready') ready.items.push(lane)
    }
  }

  return {
    push(key, kind, item) {
      const lane = laneOf(lanes, key, perLane)
      lane.queues[kind].items.push(item)
      update(lane)
      pump()
    },
    waiting: (key, kind) => lengthOf(lanes.get(key)?.queues[kind] ?? NOTHING),
    all: () => lanes.values(),
    clear(isCleared = () => true) {
      const items = [...lanes.values()].flatMap((lane) => clearLane(lane, isCleared))
      ready.items = takeAll(ready).filter(({ state }) => state === 'ready')
      for (const lane of lanes.values()) if (lane.state === 'idle' && lane.running.length === 0) lanes.delete(lane.key)
      return items
    },
    pause: () => mode.change('paused'),
    resume() {
      mode.change('running')
      pump()
    },
    isPaused: () => mode.is('paused'),
    stop() {
      mode.change('stopped')
      window.close()
      return inFlight === 0 ? Promise.resolve() : new Promise((resolve) => (landed = resolve))
    },
  }
}
