import type { Route } from './declared.ts'
import type { EventName } from './event-names.ts'
import { type OperatorApi, unlessGone } from './operator-api.ts'

/** Which calls or deliveries go wrong, how often, and in which way. */
export interface FaultOptions {
  /** A method and a path of the reference, such as `POST /2/webhooks` or `GET /2/users/:id`. */
  call?: Route | '*'
  /** An event type, or `*`. */
  delivery?: EventName | '*' | 'challenge' | 'replay_job_status'
  app_id?: string
  webhook_id?: string
  /** Default: 1. */
  times?: number
  /** Answers with this status, and with the error body of the area. */
  status?: number
  /** Answers later: `2s`. */
  delay?: string
  /** Ends the connection within the answer. */
  cut?: boolean
  /** Answers with bytes that are not JSON. */
  garbage?: boolean
  /** Delivers twice. */
  duplicate?: boolean
  /** Delivers after the next one. */
  reorder?: boolean
  /** Is lost on the way. */
  drop?: boolean
  wrong_signature?: boolean
}

/** A fault that waits for its calls or deliveries. */
export interface Fault extends Omit<FaultOptions, 'times' | 'call' | 'delivery'> {
  call?: string
  delivery?: string
  id: string
  times_left: number
  /** The last times that it hit, oldest first. */
  hits: { at: string; what: string; app_id?: string; webhook_id?: string; event_uuid?: string }[]
  created_at: string
}

/** What is to go wrong. Those of a world are the faults of its app. */
export interface Faults {
  add(fault: FaultOptions): Promise<Fault>
  list(): Promise<Fault[]>
  /** A fault that is gone already is no error. */
  remove(fault: Pick<Fault, 'id'>): Promise<void>
  clear(): Promise<void>
}

/** `ofApp` lists and clears those of an app, and aims new ones at it unless they name another. */
export const createFaults = (api: OperatorApi, ofApp?: string): Faults => ({
  async add(fault) {
    const body = { ...(ofApp !== undefined && { app_id: ofApp }), ...fault }
    return (await api.call<{ data: Fault }>('POST', '/operator/faults', body)).data
  },
  list: async () => (await api.call<{ data: Fault[] }>('GET', '/operator/faults', undefined, { app_id: ofApp })).data,
  remove: ({ id }) => unlessGone(api.call('DELETE', `/operator/faults/${id}`)),
  clear: async () => void (await api.call('DELETE', '/operator/faults', undefined, { app_id: ofApp })),
})
