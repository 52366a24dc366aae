import type { DeliveryState } from '../../storage/event-log.ts'

/** What a feed tells of: ids and states. Whoever wants more asks for it. Times are ISO 8601. */
export type Update =
  | {
      kind: 'call'
      at: string
      sequence: number
      method: string
      path: string
      endpoint: string | null
      app_id: string | null
      user_id: string | null
      status: number
      duration_ms: number
      /** Events that nobody got. */
      unmatched: { event_type: string; user_id: string }[]
    }
  | {
      kind: 'event'
      at: string
      event_uuid: string
      event_type: string
      user_id: string
      /** How many webhooks it goes to, and the first of them. */
      deliveries: number
      webhook_ids: string[]
      /** Of them, those whose delivery is kept back. */
      kept_back: string[]
    }
  | {
      kind: 'attempt'
      at: string
      event_uuid: string
      event_type: string
      webhook_id: string
      n: number
      outcome: 'delivered' | 'failed' | 'not_sent'
      status: number | null
      latency_ms: number
      /** Of its delivery, now. */
      state: DeliveryState
      next_try_at: string | null
      is_replay: boolean
    }
  | { kind: 'challenge'; at: string; webhook_id: string | null; app_id: string | null; passed: boolean }
