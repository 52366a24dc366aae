import { afterTurn } from './clock.ts'

/** Lets others pass in the middle of work; undefined while it need not. */
export type GiveWay = () => Promise<void> | undefined

/** Shares one event loop among owners of work. */
export interface FairTurns {
  /**
   * Resolves when the check of who calls may begin. Undefined if it may at once: as long as the slice lasts. `owner` says who claims to call.
   * Throws when too much of that owner's waits already.
   */
  begin(owner: () => string): Promise<void> | undefined
  /**
   * The same for the work, once its owner is known. While the slice lasts it may begin at once, if nothing waits; if others wait, unless this
   * owner had the last turn, or has other work that waits.
   */
  beginAs(owner: string): Promise<void> | undefined
  /** The same in the middle of work. Work that has begun ends before other work of its owner begins, so that little of it is held in memory. */
  goOn(owner: string): Promise<void> | undefined
}

/** For one owner alone: nothing waits. */
export const unshared: FairTurns = { begin: () => undefined, beginAs: () => undefined, goOn: () => undefined }

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

/** So many pieces of work are taken before what has arrived is read, and only within this part of a slice. */
const AT_ONCE = 16
const PART_OF_SLICE = 1 / 4

/** Work of one owner that waits, the next first. */
interface Waiting {
  owner: string
  queue: (() => void)[]
}

/** The pieces of work that are taken in one turn of the event loop, and when the first of them began. */
interface Turn {
  beganAt: number | undefined
  /** How many calls of `takeNext` are to come in it. */
  left: number
}

/**
 * Round robin among owners. Nothing waits while a slice of time lasts: then it costs a look at the clock. Once the slice is over, work waits
 * in the queue of its owner. Then each takes one piece of work of the next owner: as many as fit in a part of a slice, or one that takes
 * longer, in a turn of the event loop; what has arrived meanwhile is read between the turns. So whoever asks for little waits for one piece
 * of each other owner, however much these have asked for, and small pieces do not cost a turn each. Checks of who calls do not wait behind
 * work while a slice lasts: those of one turn store their nonces together.
 */
export function createFairTurns({ monotonic, refusal, sliceMs = SLICE_MS, most = MOST_WAITING }: FairTurnsOptions): FairTurns {
  /** The owner whose turn is next is the first. */
  const waiting = new Map<string, Waiting>()
  /** Whose turn it is. It comes after those who ask meanwhile. */
  let current: Waiting = { owner: '', queue: [] }
  let waitingCount = 0
  /** Whose work was the last, of owners that are known. */
  let worker: string | undefined
  let beganAt = monotonic()
  /** The turn of the event loop that has not begun yet; undefined if none is asked for. */
  let next: Turn | undefined

  const askForTurn = () => {
    next ??= { beganAt: undefined, left: 0 }
    if (next.left >= AT_ONCE) return
    next.left += 1
    const turn = next
    afterTurn(() => takeNext(turn))
  }

  /** Takes the next piece of work, if there is time left in the turn. */
  const takeNext = (turn: Turn) => {
    turn.left -= 1
    const nowMs = monotonic()
    if (turn.beganAt === undefined) {
      turn.beganAt = nowMs
      beganAt = nowMs
      next = undefined
    }
    const hasTime = nowMs - turn.beganAt < sliceMs * PART_OF_SLICE
    const run = hasTime && waitingCount > 0 ? takePiece() : undefined
    if (turn.left === 0) for (let asked = 0; asked < Math.min(waitingCount, AT_ONCE); asked += 1) askForTurn()
    run?.()
  }

  const takePiece = () => {
    if (current.queue.length > 0) waiting.set(current.owner, current)
    current = waiting.values().next().value!
    waiting.delete(current.owner)
    waitingCount -= 1
    return current.queue.shift()!
  }

  /** Time counts while nobody works too: then work waits for the end of one turn in which nothing else happens, once in a slice. */
  const isOver = () => monotonic() - beganAt >= sliceMs

  const queueOf = (owner: string) => {
    if (owner === current.owner) return current.queue
    const found = waiting.get(owner) ?? { owner, queue: [] }
    waiting.set(owner, found)
    return found.queue
  }

  const hasWaiting = (owner: string) => (owner === current.owner ? current.queue.length > 0 : waiting.has(owner))

  const wait = (owner: string, place: 'push' | 'unshift', isKnown = true): Promise<void> => {
    const queue = queueOf(owner)
    if (place === 'push' && queue.length >= most) throw refusal()
    waitingCount += 1
    askForTurn()
    return new Promise((resolve) => {
      queue[place](() => {
        if (isKnown) worker = owner
        resolve()
      })
    })
  }

  return {
    begin: (owner) => (isOver() ? wait(owner(), 'push', false) : undefined),
    beginAs(owner) {
      const isNext = waitingCount === 0 || (owner !== worker && !hasWaiting(owner))
      if (isOver() || !isNext) return wait(owner, 'push')
      worker = owner
      return undefined
    },
    goOn: (owner) => (isOver() ? wait(owner, 'unshift') : undefined),
  }
}
