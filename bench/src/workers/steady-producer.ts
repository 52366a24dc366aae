// Publishes timestamped events to Postern at a steady rate.
import { Agent } from 'undici'
import { timestampedEventFor } from '../delivery/fixtures.ts'
import { dispatchOnce } from '../dispatch-loop.ts'
import { OPERATOR_TOKEN } from '../postern-process.ts'
import { serveSteadyLoad } from '../steady/serve-steady-load.ts'
import type { SteadyArgument } from '../steady/steady-load.ts'
import { readArgument } from './serve.ts'

const { to, webhooks, ...rate } = readArgument<SteadyArgument<string>>()
const agent = new Agent({ connections: 64, pipelining: 1, keepAliveTimeout: 60_000, allowH2: false })
const headers = ['content-type', 'application/json', 'authorization', `Bearer ${OPERATOR_TOKEN}`]
let published = 0

const next = () => {
  published += 1
  return timestampedEventFor(published % webhooks, published)
}

function publish() {
  const body = JSON.stringify({ events: Array.from({ length: rate.batch }, next) })
  return dispatchOnce(agent, 202, { origin: to, path: '/operator/events', method: 'POST', headers, body })
}

serveSteadyLoad(rate, publish, () => agent.destroy())
