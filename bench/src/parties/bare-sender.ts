// The least that a sender on Node does: sign a body that is ready, and send it.
import { createSecretKey } from 'node:crypto'
import { signature } from '../../../server/src/lib/hmac.ts'
import { addressOf, CONSUMER_SECRET, sampleBody } from '../delivery/stand.ts'
import { createDispatchLoop } from '../dispatch-loop.ts'
import { argument, serve } from './serve.ts'

const { port, webhooks, inFlight } = argument<{ port: number; webhooks: number; inFlight: number }>()
const origins = Array.from({ length: webhooks }, (_, place) => `http://${addressOf(place)}:${port}`)
const key = createSecretKey(Buffer.from(CONSUMER_SECRET))
let turn = 0

const loop = createDispatchLoop({
  inFlight,
  status: 200,
  request: () => ({
    origin: origins[turn++ % origins.length]!,
    path: '/webhook',
    method: 'POST',
    headers: [
      ...['content-type', 'application/json', 'user-agent', 'Postern'],
      ...['x-service-webhooks-signature', signature(key, sampleBody)],
    ],
    body: sampleBody,
  }),
})

serve(({ ms }: { ms: number }) => loop.sample(ms), loop.close)
