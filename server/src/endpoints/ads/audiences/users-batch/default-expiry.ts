/** How long a user stays in an audience unless the request says otherwise (§8). */
const DEFAULT_MONTHS = 13

/** The moment 13 calendar months later, in milliseconds; on the last day of a month that has not as many days. */
export function defaultExpiryMs(nowMs: number): number {
  const from = new Date(nowMs)
  const at = new Date(nowMs)
  at.setUTCMonth(from.getUTCMonth() + DEFAULT_MONTHS)
  if (at.getUTCDate() !== from.getUTCDate()) at.setUTCDate(0)
  return at.getTime()
}
