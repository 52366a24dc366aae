import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Clock, createClock } from '../../lib/clock.ts'
import { LARGE_BODY_BYTES, largeBodyLimits } from '../declare/host-limits.ts'

/** Why a body was not taken in; what is left of it is not read, so that its connection must end. */
type BodyFault = 'too-large' | 'cut-off'

/** Reads the body of a request, as long as it is within a limit. */
export function readBody(request: IncomingMessage, limitBytes: number): Promise<Buffer | BodyFault> {
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) return Promise.resolve('too-large')
  return new Promise((resolve) => {
    const pieces: Buffer[] = []
    let size = 0
    const end = (result: Buffer | BodyFault) => {
      request.off('data', take).off('end', whole).off('error', cutOff).off('close', cutOff)
      resolve(result)
    }
    const take = (piece: Buffer) => {
      size += piece.length
      if (size > limitBytes) return end('too-large')
      pieces.push(piece)
    }
    const whole = () => end(Buffer.concat(pieces, size))
    const cutOff = () => end('cut-off')
    request.on('data', take).on('end', whole).on('error', cutOff).on('close', cutOff)
  })
}

interface BodyBudgetLimits {
  /** What all bodies that were let in may take together. */
  bytes: number
  /** How many may wait for room; one more is refused at once. */
  mostWaiting: number
  /** How long one waits before it is refused. */
  longestWaitMs: number
}

/** Gives back what was taken. Calling it again changes nothing. */
type Release = () => void

interface BodyBudget {
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

/** What the body of a request may come to; unless its size is told, as much as is taken in. */
function bytesOf({ headers }: IncomingMessage, limitBytes: number): number {
  const told = headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : limitBytes
  return told > limitBytes ? 0 : told
}

/** Lets the large bodies of all listeners of a process in, as the budget has room for them. */
export function createLargeBodies(budget: BodyBudget = processBudget) {
  const held = new WeakMap<IncomingMessage, Release>()
  const handled = new WeakSet<IncomingMessage>()
  return {
    /** Waits for room before any of the body is read; false when there is none. Who disconnects gives it back. */
    async enter(request: IncomingMessage, response: ServerResponse, limitBytes: number): Promise<boolean> {
      const bytes = bytesOf(request, limitBytes)
      if (bytes <= LARGE_BODY_BYTES) return true
      const { socket } = request
      if (request.destroyed || socket.destroyed) return false
      const left = new AbortController()
      const leave = () => {
        left.abort()
        if (!handled.has(request)) held.get(request)?.()
      }
      response.once('close', leave)
      // A request that waits behind another on its connection has a response that never closes when the client leaves.
      socket.once('close', leave)
      const release = await budget.take(bytes, left.signal)
      if (!release || left.signal.aborted) {
        socket.off('close', leave)
        release?.()
        return false
      }
      held.set(request, () => {
        socket.off('close', leave)
        release()
      })
      return true
    },
    /** Runs what handles the request, and gives back its room when that has ended, also where nobody waits for the answer any more. */
    handle<T>(request: IncomingMessage, run: () => Promise<T>): Promise<T> {
      const release = held.get(request)
      if (!release) return run()
      handled.add(request)
      return run().finally(release)
    },
  }
}

const processBudget = createBodyBudget(createClock(), largeBodyLimits)
