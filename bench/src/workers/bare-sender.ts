// A closed loop that signs and sends, and nothing else.

import { createSignedRequests, sampleBody } from '../fixtures.ts'
import { createDispatchLoop } from '../http-load.ts'
import { readArgument, serve } from '../worker.ts'

/** With `ca` it uses TLS. */
const { inFlight, ca, ...callbacks } = readArgument<{ port: number; webhooks: number; inFlight: number; ca?: string }>()
const nextRequest = createSignedRequests({ ...callbacks, secure: ca !== undefined })
const loop = createDispatchLoop({ inFlight, ca, status: 200, request: () => nextRequest(sampleBody) })

serve(({ ms }: { ms: number }) => loop.sample(ms), loop.close)
