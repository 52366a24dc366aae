import { emptyQueue, first, lengthOf, type Queue, take, takeAll } from '../../lib/queue.ts'
import { checkedTransitions } from '../../lib/transitions.ts'

/** The kinds of work for one webhook. They take turns, so that none starves. */
export type WorkKind = 'live' | 'retry' | 'replay'

export const KINDS: readonly WorkKind[] = ['live', 'retry', 'replay']

/**
 * idle   no work waits; some may be in flight
 * ready  work waits, and more may begin
 * full   work waits, and the maximum is in flight
 */
export type LaneState = 'idle' | 'ready' | 'full'

const transition = checkedTransitions<LaneState>('a lane', {
  idle: ['ready', 'full'],
  ready: ['idle', 'full'],
  full: ['idle', 'ready'],
})

/** The waiting work of one webhook, and how much is in flight. */
export interface Lane<Item> {
  readonly key: string
  readonly perLane: number
  readonly queues: Readonly<Record<WorkKind, Queue<Item>>>
  state: LaneState
  /** The index in `KINDS` of the kind whose turn it is. */
  turn: number
  /** What is in flight. */
  readonly running: Begun<Item>[]
}

/** Work that was taken from a lane. */
export type Begun<Item> = readonly [kind: WorkKind, item: Item]

/** `perLane` is how much work may be in flight. */
export const createLane = <Item>(key: string, perLane: number): Lane<Item> => ({
  key,
  perLane,
  queues: { live: emptyQueue(), retry: emptyQueue(), replay: emptyQueue() },
  state: 'idle',
  turn: 0,
  running: [],
})

const isEmpty = <Item>({ queues: { live, retry, replay } }: Lane<Item>): boolean =>
  lengthOf(live) + lengthOf(retry) + lengthOf(replay) === 0

/** Updates the state after work was added, has begun or has ended. Returns true if the lane has just become ready. */
export function updateState<Item>(lane: Lane<Item>): boolean {
  const state = isEmpty(lane) ? 'idle' : lane.running.length < lane.perLane ? 'ready' : 'full'
  if (state === lane.state) return false
  lane.state = transition(lane.state, state)
  return state === 'ready'
}

/** Takes the next work of a ready lane, alternating between the kinds, and counts it as in flight. */
export function beginNext<Item>(lane: Lane<Item>): Begun<Item> {
  for (let step = 0; step < KINDS.length; step += 1) {
    const kind = KINDS[(lane.turn + step) % KINDS.length]!
    const item = take(lane.queues[kind])
    if (item === undefined) continue
    lane.turn = (lane.turn + step + 1) % KINDS.length
    const begun: Begun<Item> = [kind, item]
    lane.running.push(begun)
    return begun
  }
  throw new Error(`a lane that is ${lane.state} has no work`)
}

/** Removes ended work from what is in flight. */
export function endWork<Item>({ running }: Lane<Item>, begun: Begun<Item>): void {
  const last = running.pop()!
  if (last !== begun) running[running.indexOf(begun)] = last
}

/** The work in flight, and the next of each kind. The oldest work of the lane is among it. */
export const frontOf = <Item>({ running, queues }: Lane<Item>): Begun<Item>[] => [
  ...running,
  ...KINDS.flatMap((kind): Begun<Item>[] => {
    const next = first(queues[kind])
    return next === undefined ? [] : [[kind, next]]
  }),
]

/** Removes and returns those of the waiting work. The rest stays in its order. */
export function clearLane<Item>(lane: Lane<Item>, isCleared: (item: Item) => boolean): Item[] {
  const items = KINDS.flatMap((kind) => {
    const queue = lane.queues[kind]
    const all = takeAll(queue)
    queue.items = all.filter((item) => !isCleared(item))
    return all.filter(isCleared)
  })
  updateState(lane)
  return items
}
