// A loop that signs and sends, and nothing else.
import { createSignedPosts } from '../delivery/signed-posts.ts'
import { sampleBody } from '../delivery/stand.ts'
import { createDispatchLoop } from '../dispatch-loop.ts'
import { argument, serve } from './serve.ts'

/** With `ca`, over TLS. */
const { inFlight, ca, ...callbacks } = argument<{ port: number; webhooks: number; inFlight: number; ca?: string }>()
const postOf = createSignedPosts({ ...callbacks, secure: ca !== undefined })
const loop = createDispatchLoop({ inFlight, ca, status: 200, request: () => postOf(sampleBody) })

serve(({ ms }: { ms: number }) => loop.sample(ms), loop.close)
