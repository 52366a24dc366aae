import { signature } from '../lib/crypto.ts'
import type { Delivery } from '../storage/event-log.ts'
import type { Destination } from './destinations.ts'
import type { Outcome, Sender } from './send/sender.ts'

export interface SignedPostOptions {
  sender: Sender
  timeoutMs: number
  /** `x-service-webhooks-signature`, in the served dialect. */
  signatureHeader: string
}

/** Sends a body to the callback of a webhook. `event` is what the body carries; undefined for what is no event of the log. */
export type SignedPost = (
  destination: Pick<Destination, 'target' | 'key' | 'webhookId' | 'appId'>,
  body: Buffer,
  event?: Pick<Delivery, 'eventType' | 'eventUuid' | 'match' | 'attempts'>,
) => Promise<Outcome>

/** POSTs signed JSON to a callback (§4.2): the signature is over exactly the bytes sent. */
export function createSignedPost({ sender, timeoutMs, signatureHeader }: SignedPostOptions) {
  return ({ target, key }: Pick<Destination, 'target' | 'key'>, body: Buffer): Promise<Outcome> =>
    sender.send({
      method: 'POST',
      to: target,
      headers: ['content-type', 'application/json', 'user-agent', 'Postern', signatureHeader, signature(key, body)],
      body,
      timeoutMs,
    })
}
