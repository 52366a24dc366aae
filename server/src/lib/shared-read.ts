import type { Clock } from './clock.ts'

/**
 * Shares one read among all who ask while it runs, and its value with those who ask within `keptMs` after it. A failed read is not kept: who
 * asks next reads again.
 */
export function createSharedRead<Value>(clock: Pick<Clock, 'elapsed'>, keptMs: number, read: () => Promise<Value>): () => Promise<Value> {
  let latest: { value: Promise<Value>; endedMs: number } | undefined

  const begin = () => {
    const own = { value: read(), endedMs: Number.POSITIVE_INFINITY }
    own.value.then(
      () => {
        own.endedMs = clock.elapsed()
      },
      () => {
        if (latest === own) latest = undefined
      },
    )
    return own
  }

  return () => {
    if (!latest || clock.elapsed() - latest.endedMs >= keptMs) latest = begin()
    return latest.value
  }
}
