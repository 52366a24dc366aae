import { TOLERANCE_MS } from '../../access/oauth1/verify.ts'
import type { Clock } from '../../lib/clock.ts'
import { MINUTE_MS } from '../../lib/time.ts'
import type { NonceStore } from '../../storage/nonces.ts'

/** A timestamp may be ahead by the tolerance, and is taken until it is as far behind. */
const REMEMBERED_MS = 2 * TOLERANCE_MS + MINUTE_MS

/** About 10 MB. Beyond it the oldest are forgotten. */
const MAX_REMEMBERED = 100_000

/**
 * Also remembers nonces by the time that really passes: those of the database expire when the clock is moved, while a timestamp of the
 * machine's time is still taken. For development.
 */
export function createRecentNonces(nonces: NonceStore, clock: Clock, max = MAX_REMEMBERED): NonceStore {
  /** The end of each, in the order in which they were used, and the request that used it. */
  const used = new Map<string, { endMs: number; requestId: number | undefined }>()

  const forget = () => {
    for (const [key, { endMs }] of used) {
      if (endMs > clock.monotonic() && used.size <= max) return
      used.delete(key)
    }
  }

  return {
    async accept(key, expiresAtMs, nowMs, requestId) {
      forget()
      const known = used.get(key)
      if (known) return requestId !== undefined && known.requestId === requestId
      const isAccepted = await nonces.accept(key, expiresAtMs, nowMs, requestId)
      if (isAccepted) used.set(key, { endMs: clock.monotonic() + REMEMBERED_MS, requestId })
      return isAccepted
    },
  }
}
