// A closed loop that signs and sends, and nothing else.

import { sampleBody } from '../delivery/fixtures.ts'
import { createSignedRequests } from '../delivery/signed-requests.ts'
import { createDispatchLoop } from '../dispatch-loop.ts'
import { readArgument, serve } from './serve.ts'

/** With `ca` it uses TLS. */
const { inFlight, ca, ...callbacks } = readArgument<{ port: number; webhooks: number; inFlight: number; ca?: string }>()
const nextRequest = createSignedRequests({ ...callbacks, secure: ca !== undefined })
const loop = createDispatchLoop({ inFlight, ca, status: 200, request: () => nextRequest(sampleBody) })

serve(({ ms }: { ms: number }) => loop.sample(ms), loop.close)
