import { createSecretKey } from 'node:crypto'
import type { Dispatcher } from 'undici'
import { signature } from '../../../server/src/lib/hmac.ts'
import { addressOf, CONSUMER_SECRET } from './stand.ts'

interface Callbacks {
  port: number
  webhooks: number
}

/** The least that a sender does: signs a body that is ready. Each request goes to the next callback. */
export function createSignedPosts({ port, webhooks }: Callbacks) {
  const origins = Array.from({ length: webhooks }, (_, place) => `http://${addressOf(place)}:${port}`)
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
