import { createSecretKey } from 'node:crypto'
import type { Dispatcher } from 'undici'
import { signature } from '../../../server/src/lib/crypto.ts'
import { CONSUMER_SECRET, originOf } from './stand.ts'

interface Callbacks {
  port: number
  webhooks: number
  /** Over TLS. */
  secure?: boolean
}

/** The least that a sender does: signs a body that is ready. Each request goes to the next callback. */
export function createSignedPosts({ port, webhooks, secure }: Callbacks) {
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
