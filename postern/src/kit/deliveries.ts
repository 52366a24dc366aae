import { checkNames } from './check-names.ts'
import type { OperatorApi } from './operator-api.ts'

/** One request to a callback, with its result. */
export interface DeliveryAttempt {
  n: number
  at: string
  outcome: 'delivered' | 'failed' | 'not_sent'
  /** What the callback answered; null if it did not. */
  status: number | null
  latency_ms: number
  /** Empty if it was delivered. */
  error: string
  /** The beginning of the response's body. */
  response: string
  /** Where the callback answered 401 or 403: what may be wrong with the signature. */
  hint?: string
  replay_job_id: string | null
}

/** One event for one webhook. */
export interface Delivery {
  event_uuid: string
  event_type: string
  webhook_id: string
  app_id: string | null
  /** The callback URL; null if the webhook is deleted, like `app_id`. */
  url: string | null
  accepted_at: string
  state: 'pending' | 'delivered' | 'retrying' | 'given_up' | 'not_sent'
  next_try_at: string | null
  /** In order of time. */
  attempts: DeliveryAttempt[]
}

export interface DeliveryQuery {
  webhook_id?: string
  event_uuid?: string
  state?: Delivery['state']
  /** At most 1,000, which is the default. */
  max_results?: number
}

/** Lists deliveries with their attempts, newest first. */
export type Deliveries = (query?: DeliveryQuery) => Promise<Delivery[]>

const NAMES = ['webhook_id', 'event_uuid', 'state', 'max_results'] satisfies (keyof DeliveryQuery)[]

const ALL = 1000

/** Of several webhooks: the event that was accepted last comes first. */
const newestFirst = (one: Delivery, other: Delivery) => other.accepted_at.localeCompare(one.accepted_at)

/** `ofApp` limits them to those of the webhooks that an app has. */
export function createDeliveries(api: OperatorApi, ofApp?: string): Deliveries {
  const list = async (query: DeliveryQuery) =>
    (await api.call<{ data: Delivery[] }>('GET', '/operator/deliveries', undefined, { max_results: ALL, ...query })).data
  const webhooksOfApp = async () => {
    const query = { app_id: ofApp, max_results: 100 }
    return (await api.call<{ data: { id: string }[] }>('GET', '/operator/webhooks', undefined, query)).data.map(({ id }) => id)
  }
  return async (query = {}) => {
    checkNames('deliveries', query, NAMES)
    if (ofApp === undefined) return list(query)
    const { webhook_id } = query
    const wanted = (await webhooksOfApp()).filter((id) => webhook_id === undefined || webhook_id === id)
    const found = await Promise.all(wanted.map((id) => list({ ...query, webhook_id: id })))
    return found
      .flat()
      .sort(newestFirst)
      .slice(0, query.max_results ?? ALL)
  }
}
