import { setTimeout as wait } from 'node:timers/promises'
import { callJson } from './callers.ts'

interface Attempt {
  status: number | null
  latency_ms: number
  error: string
}

export interface Delivery {
  webhook_id: string
  url: string | null
  state: string
  attempts: Attempt[]
}

const POLL_MS = 50
const LONGEST_MS = 12_000

/** The deliveries of an event, once each was tried. */
export async function triedDeliveries(operator: string, authorization: string, eventUuid: string): Promise<Delivery[]> {
  const until = performance.now() + LONGEST_MS
  for (;;) {
    const { data } = await callJson(`${operator}/operator/deliveries?event_uuid=${eventUuid}`, authorization)
    const deliveries = data as Delivery[]
    if (deliveries.every(({ state }) => state !== 'pending') || performance.now() > until) return deliveries
    await wait(POLL_MS)
  }
}

/** One line about a delivery: where it went, and how that ended. */
export function sayDelivery({ webhook_id, url, state, attempts }: Delivery): string {
  const last = attempts.at(-1)
  const to = `${url ?? 'a deleted webhook'} (webhook ${webhook_id})`
  if (state === 'delivered') return `delivered to ${to}: ${last?.status} in ${last?.latency_ms} ms`
  if (state === 'not_sent') return `not sent to ${to}: ${last?.error}; validate it with PUT /2/webhooks/${webhook_id}`
  if (state === 'pending') return `not tried yet: ${to}`
  return `${state === 'given_up' ? 'given up' : 'to be tried again'}: ${to}: ${last?.error}`
}
