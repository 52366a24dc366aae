// Publishes stamped events to Postern at a steady rate.
import { Agent } from 'undici'
import { stampedEventFor } from '../delivery/stand.ts'
import { dispatchOne } from '../dispatch-one.ts'
import { OPERATOR_TOKEN } from '../postern-process.ts'
import { serveSteadily } from '../steady/serve-steadily.ts'
import type { SteadyArgument } from '../steady/steady.ts'
import { argument } from './serve.ts'

const { to, webhooks, ...rate } = argument<SteadyArgument<string>>()
const agent = new Agent({ connections: 64, pipelining: 1, keepAliveTimeout: 60_000, allowH2: false })
const headers = ['content-type', 'application/json', 'authorization', `Bearer ${OPERATOR_TOKEN}`]
let made = 0

const next = () => {
  made += 1
  return stampedEventFor(made % webhooks, made)
}

function publish() {
  const body = JSON.stringify({ events: Array.from({ length: rate.batch }, next) })
  return dispatchOne(agent, 202, { origin: to, path: '/operator/events', method: 'POST', headers, body })
}

serveSteadily(rate, publish, () => agent.destroy())
