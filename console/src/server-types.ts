/** What the operator API answers, as far as the console reads it: `/openapi.json` has all of it. */
export interface Attempt {
  n: number
  at: string
  outcome: 'delivered' | 'failed' | 'not_sent'
  status: number | null
  latency_ms: number
  error: string
  response: string
  hint?: string
  replay_job_id: string | null
}

export interface Delivery {
  event_uuid: string
  event_type: string
  webhook_id: string
  app_id: string | null
  url: string | null
  accepted_at: string
  state: 'pending' | 'delivered' | 'retrying' | 'given_up' | 'not_sent'
  next_try_at: string | null
  attempts: Attempt[]
}

export interface EventDelivery extends Delivery {
  filter: Record<string, unknown>
  tag?: string
}

export interface LoggedEvent {
  event_uuid: string
  event_type: string
  user_id: string
  accepted_at: string
  payload: unknown
  includes?: unknown
  deliveries: EventDelivery[]
}

export interface Message {
  headers: Record<string, string>
  body: string | null
  body_bytes: number
  truncated: boolean
}

export interface Call {
  sequence: number
  at: string
  method: string
  url: string
  host: string | null
  endpoint: string | null
  app_id: string | null
  user_id: string | null
  status: number
  duration_ms: number
  request: Message
  response: Message
  refused?: { reason: string; explain_url?: string }
  caused: string[]
  fault?: string
}

export interface Webhook {
  id: string
  app_id: string
  url: string
  valid: boolean
  created_at: string
  last_challenge: { at: string; result: 'passed' | 'failed'; failure: string | null } | null
  backlog: number
}

export interface App {
  id: string
  name: string
  consumer_key: string
  permissions: string
  webhook_limit: number
  suspended: boolean
  previous_secret_until: string | null
  created_at: string
}

export interface Server {
  worker: number
  profile: 'development' | 'production'
  version: string
  database: string
  started_at: string
}
