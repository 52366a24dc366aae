// Signs timestamped bodies and sends them directly to the callbacks at a steady rate, without Postern in between.
import { Agent } from 'undici'
import { timestampedBody } from '../delivery/fixtures.ts'
import { createSignedRequests } from '../delivery/signed-requests.ts'
import { dispatchOnce } from '../dispatch-loop.ts'
import { serveSteadyLoad } from '../steady/serve-steady-load.ts'
import type { SteadyArgument } from '../steady/steady-load.ts'
import { readArgument } from './serve.ts'

const { to, webhooks, ...rate } = readArgument<SteadyArgument<number>>()
const agent = new Agent({ connections: 4, pipelining: 1, keepAliveTimeout: 60_000, allowH2: false })
const nextRequest = createSignedRequests({ port: to, webhooks })
let sent = 0

const next = () => {
  sent += 1
  return dispatchOnce(agent, 200, nextRequest(timestampedBody(sent)))
}

serveSteadyLoad(
  rate,
  () => Promise.all(Array.from({ length: rate.batch }, next)),
  () => agent.destroy(),
)
