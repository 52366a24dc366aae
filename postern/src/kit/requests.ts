import { type OperatorApi, PosternError } from './operator-api.ts'

/** A call that the server answered. Secrets are masked. */
export interface RecordedRequest {
  sequence: number
  at: string
  method: string
  url: string
  /** The Host header. */
  host: string | null
  /** The endpoint's name in the reference; null where there is none. */
  endpoint: string | null
  app_id: string | null
  user_id: string | null
  status: number
  duration_ms: number
  request: RecordedMessage
  response: RecordedMessage
  /** Why it was refused. */
  refused?: { reason: string; explain_url?: string }
  /** The events that it caused, by their `event_uuid`; at most 100. */
  caused: string[]
  /** The events that it would have caused, to which nobody had subscribed; at most 20. */
  unmatched: { event_type: string; user_id: string }[]
  /** The fault that hit it. */
  fault?: string
}

/** Headers and the beginning of a body. Secrets are masked. */
export interface RecordedMessage {
  headers: Record<string, string>
  /** JSON or a form, with its secrets masked; null for anything else. */
  body: string | null
  body_bytes: number
  /** Whether `body` is only its beginning. */
  truncated: boolean
}

export interface RequestQuery {
  app_id?: string
  status?: number
  /** A path, such as `/2/webhooks`. */
  path?: string
  /** Only the one that caused this event. */
  event_uuid?: string
  /** The newest so many of those that match. */
  last?: number
  /** Only later ones. */
  after?: number
  max_results?: number
}

/** The calls of clients, their answers, and why they were refused. */
export interface Requests {
  /** The latest 1,000, oldest first. */
  list(query?: RequestQuery): Promise<RecordedRequest[]>
  /** The latest of them. */
  last(query?: RequestQuery): Promise<RecordedRequest | undefined>
  /** Why it was refused, and what to do, in sentences; undefined if it was not, or is not explained any more. */
  explain(request: RecordedRequest): Promise<readonly string[] | undefined>
  clear(): Promise<void>
}

const ALL = 1000

const NOT_FOUND = 404

/** From where the server is called: it may know itself by another address. */
async function explanationOf(general: OperatorApi, { refused }: RecordedRequest): Promise<readonly string[] | undefined> {
  const id = refused?.explain_url?.split('/').at(-1)
  if (id === undefined) return undefined
  try {
    const { data } = await general.call<{ data: { explanation: string[] } }>('GET', `/oauth/explanations/${id}`)
    return data.explanation
  } catch (error) {
    if (error instanceof PosternError && error.status === NOT_FOUND) return undefined
    throw error
  }
}

/** `general` calls the general host with the operator token, `ofApp` limits them to the calls of an app. */
export function createRequests(api: OperatorApi, general: OperatorApi, ofApp?: string): Requests {
  const list = async (query: RequestQuery = {}) => {
    const wanted = { max_results: ALL, ...(ofApp !== undefined && { app_id: ofApp }), ...query }
    return (await api.call<{ data: RecordedRequest[] }>('GET', '/operator/requests', undefined, wanted)).data
  }
  return {
    list,
    last: async (query) => (await list(query)).at(-1),
    explain: (request) => explanationOf(general, request),
    clear: async () => void (await api.call('DELETE', '/operator/requests', undefined, { app_id: ofApp })),
  }
}
