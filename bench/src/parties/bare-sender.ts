// A loop that signs and sends, and nothing else.
import { createSignedPosts } from '../delivery/signed-posts.ts'
import { sampleBody } from '../delivery/stand.ts'
import { createDispatchLoop } from '../dispatch-loop.ts'
import { argument, serve } from './serve.ts'

const { inFlight, ...callbacks } = argument<{ port: number; webhooks: number; inFlight: number }>()
const postOf = createSignedPosts(callbacks)
const loop = createDispatchLoop({ inFlight, status: 200, request: () => postOf(sampleBody) })

serve(({ ms }: { ms: number }) => loop.sample(ms), loop.close)
