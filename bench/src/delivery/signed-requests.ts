import { createSecretKey } from 'node:crypto'
import type { Dispatcher } from 'undici'
import { signature } from '../../../server/src/lib/crypto.ts'
import { CONSUMER_SECRET, originOf } from './fixtures.ts'

interface Callbacks {
  port: number
  webhooks: number
  /** Use https. */
  secure?: boolean
}

/** The minimum that a sender does: signs a prepared body. Requests go to the callbacks round robin. */
export function createSignedRequests({ port, webhooks, secure }: Callbacks) {
  const origins = Array.from({ length: webhooks }, (_, place) => originOf(place, port, secure))
  const key = createSecretKey(Buffer.from(CONSUMER_SECRET))
  let turn = 0
  return (body: Buffer): Dispatcher.DispatchOptions => ({
    origin: origins[turn++ % origins.length]!,
    path: '/webhook',
    method: 'POST',
    headers: [...['content-type', 'application/json', 'user-agent', 'Postern'], ...['x-service-webhooks-signature', signature(key, body)]],
    body,
  })
}
