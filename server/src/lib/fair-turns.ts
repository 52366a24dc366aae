import { endOfTurn } from './clock.ts'

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
  /** How long the work of one turn of the event loop may take before the rest waits for the next. */
  sliceMs?: number
  /** How much work of one owner may wait. */
  most?: number
}

/** A step that cannot be cut comes on top. */
const SLICE_MS = 5
const MOST_WAITING = 1000

/**
 * Round robin among owners. Nothing waits while a turn of the event loop has time left: then it costs a look at the clock. Once the time is
 * over, work waits in the queue of its owner. Each further turn takes one piece of work of the next owner, and what has arrived meanwhile
 * is read between them. So whoever asks for little waits for one piece of each other owner, however much these have asked for.
 */
export function createFairTurns({ monotonic, refusal, sliceMs = SLICE_MS, most = MOST_WAITING }: FairTurnsOptions): FairTurns {
  /** The owner whose turn is next is the first. */
  const waiting = new Map<string, (() => void)[]>()
  /** When the work of this turn began; undefined before there is any. */
  let beganAt: number | undefined

  const beginTurn = () => {
    beganAt = monotonic()
    void endOfTurn().then(endTurn)
  }

  const endTurn = () => {
    beganAt = undefined
    const next = waiting.entries().next().value
    if (!next) return
    const [owner, queue] = next
    waiting.delete(owner)
    const run = queue.shift()!
    if (queue.length > 0) waiting.set(owner, queue)
    beginTurn()
    run()
  }

  const isOver = () => {
    if (beganAt === undefined) beginTurn()
    return monotonic() - beganAt! >= sliceMs
  }

  const queueOf = (owner: string) => {
    const queue = waiting.get(owner) ?? []
    waiting.set(owner, queue)
    return queue
  }

  return {
    begin(owner) {
      if (!isOver() && waiting.size === 0) return undefined
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
