import { createHash } from 'node:crypto'
import { HOUR_MS } from '../lib/time.ts'

/** The webhook's own offset within the hour, so that many webhooks are spread evenly over it (§6.2, §8). */
const slotMs = (webhookId: string) => createHash('sha256').update(webhookId).digest().readUInt32BE(0) % HOUR_MS

/** When the webhook's next hourly challenge is due: within the coming hour, at its own slot. */
export function nextChallengeAtMs(webhookId: string, nowMs: number): number {
  const intoHourMs = (((slotMs(webhookId) - nowMs) % HOUR_MS) + HOUR_MS) % HOUR_MS
  return nowMs + (intoHourMs === 0 ? HOUR_MS : intoHourMs)
}
