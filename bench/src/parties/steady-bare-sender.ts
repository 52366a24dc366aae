// Signs stamped bodies and sends them straight to the callbacks at a steady rate: nothing between producer and receipt.
import { Agent } from 'undici'
import { createSignedPosts } from '../delivery/signed-posts.ts'
import { stampedBody } from '../delivery/stand.ts'
import { dispatchOne } from '../dispatch-one.ts'
import { serveSteadily } from '../steady/serve-steadily.ts'
import type { SteadyArgument } from '../steady/steady.ts'
import { argument } from './serve.ts'

const { to, webhooks, ...rate } = argument<SteadyArgument<number>>()
const agent = new Agent({ connections: 4, pipelining: 1, keepAliveTimeout: 60_000, allowH2: false })
const postOf = createSignedPosts({ port: to, webhooks })
let made = 0

const next = () => {
  made += 1
  return dispatchOne(agent, 200, postOf(stampedBody(made)))
}

serveSteadily(
  rate,
  () => Promise.all(Array.from({ length: rate.batch }, next)),
  () => agent.destroy(),
)
