const UNIT_MS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

export const SECOND_MS = 1000
export const MINUTE_MS = 60_000
export const HOUR_MS = 3_600_000

/** Reads a duration such as `500ms`, `10s`, `5m`, `1h` or `2d` as milliseconds; undefined when it is not one. */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d{1,12}(?:\.\d{1,6})?)(ms|s|m|h|d)$/.exec(text.trim())
  if (!match) return undefined
  return Math.round(Number(match[1]) * UNIT_MS[match[2]!]!)
}

/** Writes milliseconds in the largest unit that keeps them whole: `90s`, `5m`. */
export function formatDuration(ms: number): string {
  for (const unit of ['d', 'h', 'm', 's']) if (ms >= UNIT_MS[unit]! && ms % UNIT_MS[unit]! === 0) return `${ms / UNIT_MS[unit]!}${unit}`
  return `${ms}ms`
}
