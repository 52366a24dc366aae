import { afterTurn } from './clock.ts'

/** Lets others pass in the middle of work; undefined while it need not. */
export type GiveWay = () => Promise<void> | undefined

/** Shares one event loop among owners of work. */
export interface FairTurns {
  /** Resolves when work of an owner may begin; undefined if it may at once. Throws when too much of that owner's waits already. */
  begin(owner: string): Promise<void> | undefined
  /** The same in the middle of work. Work that has begun ends before other work of its owner begins, so that little of it is held in memory. */
  goOn(owner: string): Promise<void> | undefined
}

/** For one owner alone: nothing waits. */
export const unshared: FairTurns = { begin: () => undefined, goOn: () => undefined }

export interface FairTurnsOptions {
  monotonic(): number
  /** What is thrown when too much waits. */
  refusal(): Error
  /** How long work may go on before others have their turn. */
  sliceMs?: number
  /** How much work of one owner may wait. */
  most?: number
}

/** A step that cannot be cut comes on top. */
const SLICE_MS = 2
const MOST_WAITING = 1000

/** Work of one owner that waits, the next first. */
interface Waiting {
  owner: string
  queue: (() => void)[]
}

/**
 * Round robin among owners. Nothing waits while a slice of time lasts: then it costs a look at the clock. Once the slice is over, work waits
 * in the queue of its owner. Each further turn takes one piece of work of the next owner, and what has arrived meanwhile
 * is read between them. So whoever asks for little waits for one piece of each other owner, however much these have asked for.
 */
export function createFairTurns({ monotonic, refusal, sliceMs = SLICE_MS, most = MOST_WAITING }: FairTurnsOptions): FairTurns {
  /** The owner whose turn is next is the first. */
  const waiting = new Map<string, Waiting>()
  /** Whose turn it is. It comes after those who ask meanwhile. */
  let turn: Waiting = { owner: '', queue: [] }
  let beganAt = monotonic()
  let isEnding = false

  /** Lets the next owner work once what has arrived is read. */
  const endTurn = () => {
    if (isEnding) return
    isEnding = true
    afterTurn(() => {
      isEnding = false
      beganAt = monotonic()
      if (turn.queue.length > 0) waiting.set(turn.owner, turn)
      turn = waiting.values().next().value!
      waiting.delete(turn.owner)
      const run = turn.queue.shift()!
      if (isWaiting()) endTurn()
      run()
    })
  }

  const isWaiting = () => waiting.size > 0 || turn.queue.length > 0

  /** Time counts while nobody works too: then work waits for the end of one turn in which nothing else happens, once in a slice. */
  const isOver = () => monotonic() - beganAt >= sliceMs

  const queueOf = (owner: string) => {
    endTurn()
    if (owner === turn.owner) return turn.queue
    const found = waiting.get(owner) ?? { owner, queue: [] }
    waiting.set(owner, found)
    return found.queue
  }

  return {
    begin(owner) {
      if (!isOver() && !isWaiting()) return undefined
      const queue = queueOf(owner)
      if (queue.length >= most) throw refusal()
      return new Promise((resolve) => void queue.push(resolve))
    },
    goOn(owner) {
      if (!isOver()) return undefined
      return new Promise((resolve) => void queueOf(owner).unshift(resolve))
    },
  }
}
