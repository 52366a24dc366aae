/**
 * What goes wrong.
 *
 *                    a call                               a delivery                              a challenge
 *   status           refused with it, nothing is done     answered so, the callback is not asked  the same
 *   delay            answered later                       sent later                              sent later
 *   cut              done, its answer is cut in half      sent, the answer is lost                sent, the answer is lost
 *   garbage          answered 200 with no JSON            sent without JSON, signed rightly       answered with no JSON, not asked
 *   wrong_signature  –                                    sent with a wrong signature             sent with a wrong signature
 *   duplicate        –                                    sent twice                              –
 *   reorder          –                                    sent after the next of its webhook      –
 *   drop             –                                    acknowledged, not sent                  –
 */
export const faultKinds = ['status', 'delay', 'cut', 'garbage', 'duplicate', 'reorder', 'drop', 'wrong_signature'] as const

export type FaultKind = (typeof faultKinds)[number]

/** The kinds that a call, and a challenge, can have. */
export const callKinds: readonly FaultKind[] = ['status', 'delay', 'cut', 'garbage']
export const challengeKinds: readonly FaultKind[] = ['status', 'delay', 'cut', 'garbage', 'wrong_signature']

/** What `delivery` names besides event types: every event, challenges, and the event that ends a replay. */
export const ANY_EVENT = '*'
export const CHALLENGE = 'challenge'
export const REPLAY_STATUS = 'replay_job_status'

/** The beginning of JSON, and then bytes that are neither JSON nor UTF-8. */
export const GARBAGE = Buffer.from([...Buffer.from('{"data":{"id":"19'), 0xff, 0xfe, 0x00, 0xc3])

/** The effect of a fault. */
export type Effect =
  | { kind: 'status'; status: number }
  | { kind: 'delay'; delayMs: number }
  | { kind: Exclude<FaultKind, 'status' | 'delay'> }

/** Whom a fault hits: calls of a verb and path, or deliveries of an event type; of one app or webhook, or of all. */
export interface Aim {
  call?: string
  delivery?: string
  appId?: string
  webhookId?: string
}

/** One time that a fault hit. */
export interface Hit {
  atMs: number
  /** `POST /2/webhooks`, or an event type. */
  what: string
  appId: string | undefined
  webhookId?: string
  eventUuid?: string
}

export interface Fault {
  id: string
  aim: Aim
  effect: Effect
  createdAtMs: number
  timesLeft: number
  /** The last ones, oldest first. */
  hits: Hit[]
}

/** A delivery or a challenge. */
export interface Sending {
  eventType: string
  eventUuid?: string
  appId: string | undefined
  webhookId: string | undefined
}
