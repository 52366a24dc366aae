import type { IncomingMessage, ServerResponse } from 'node:http'
import { createClock } from '../../lib/clock.ts'
import { LARGE_BODY_BYTES, largeBodyLimits } from '../declare/host-limits.ts'
import { type BodyBudget, createBodyBudget, type Release } from './body-budget.ts'

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
    async handle<T>(request: IncomingMessage, run: () => Promise<T>): Promise<T> {
      handled.add(request)
      try {
        return await run()
      } finally {
        held.get(request)?.()
      }
    },
  }
}

const processBudget = createBodyBudget(createClock(), largeBodyLimits)
