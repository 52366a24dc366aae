import type { Clock } from '../../lib/clock.ts'

export interface BodyBudgetLimits {
  /** What all bodies that were let in may take together. */
  bytes: number
  /** How many may wait for room; one more is refused at once. */
  mostWaiting: number
  /** How long one waits before it is refused. */
  longestWaitMs: number
}

/** Gives back what was taken. Calling it again changes nothing. */
export type Release = () => void

export interface BodyBudget {
  /**
   * Resolves once there is room, in the order of the calls; undefined when it is refused, or `left` has aborted. One larger than the whole
   * budget is let in alone.
   */
  take(bytes: number, left: AbortSignal): Promise<Release | undefined>
  /** What is taken just now. */
  taken(): number
}

/** A semaphore weighted by bytes: bounds the large bodies that are taken in and parsed at the same time. */
export function createBodyBudget(clock: Clock, { bytes: most, mostWaiting, longestWaitMs }: BodyBudgetLimits): BodyBudget {
  const waiting = new Set<{ bytes: number; enter(release: Release | undefined): void }>()
  let taken = 0

  const hasRoom = (bytes: number) => taken + bytes <= most

  const enter = (bytes: number): Release => {
    taken += bytes
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      taken -= bytes
      letIn()
    }
  }

  const letIn = () => {
    for (const next of waiting) {
      if (!hasRoom(next.bytes)) return
      next.enter(enter(next.bytes))
    }
  }

  const wait = (bytes: number, left: AbortSignal) =>
    new Promise<Release | undefined>((resolve) => {
      const waiter = {
        bytes,
        enter(release: Release | undefined) {
          waiting.delete(waiter)
          timer.cancel()
          left.removeEventListener('abort', refuse)
          resolve(release)
        },
      }
      const refuse = () => {
        waiter.enter(undefined)
        letIn()
      }
      const timer = clock.after(longestWaitMs, refuse)
      left.addEventListener('abort', refuse)
      waiting.add(waiter)
    })

  return {
    async take(asked, left) {
      const bytes = Math.min(asked, most)
      if (left.aborted) return undefined
      if (waiting.size === 0 && hasRoom(bytes)) return enter(bytes)
      return waiting.size < mostWaiting ? wait(bytes, left) : undefined
    },
    taken: () => taken,
  }
}
