import type { Window } from '../storage/rate-windows.ts'

/** What is left of a limit, in the headers of every answer that is counted by it. The reset is in seconds since 1970. */
export function limitHeaders(limit: number, { count, resetAtMs }: Window, prefixes: readonly string[] = ['x-rate-limit']) {
  const said = { limit, remaining: Math.max(0, limit - count), reset: Math.ceil(resetAtMs / 1000) }
  return Object.fromEntries(prefixes.flatMap((prefix) => Object.entries(said).map(([name, value]) => [`${prefix}-${name}`, String(value)])))
}

/** How long to wait until a moment, in whole seconds, at least one. */
export const retryAfter = (untilMs: number, nowMs: number) => ({ 'retry-after': String(Math.max(1, Math.ceil((untilMs - nowMs) / 1000))) })
