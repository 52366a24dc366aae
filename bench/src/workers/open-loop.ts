// Publishes events at a steady rate, whatever becomes of them, and is the callbacks of all webhooks: one clock says how long each was under way.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Agent, type Dispatcher } from 'undici'
import { createSignedRequests, eventFor, sampleBody } from '../fixtures.ts'
import { OPERATOR_TOKEN } from '../postern-process.ts'
import { listenForDeliveries } from '../receiver.ts'
import { readArgument, serve } from '../worker.ts'

export interface OpenLoopArgument {
  webhooks: number
  perSecond: number
  /** Events in a request. */
  batch: number
}

export interface OpenLoopRequest {
  /** The origin of Postern; undefined: events are sent to the callbacks by this process, signed. */
  to?: string
  ms: number
}

/** What came of a load, and how long the slowest part of this process's own turns took. */
export interface OpenLoopResult {
  port: number
  count: number
  p50Ms: number
  p99Ms: number
  slowestMs: number
  ownDelayMs: number
}

const { webhooks, perSecond, batch } = readArgument<OpenLoopArgument>()
const agent = new Agent({ connections: 64, pipelining: 1, keepAliveTimeout: 60_000, allowH2: false })
const headers = ['content-type', 'application/json', 'authorization', `Bearer ${OPERATOR_TOKEN}`]

/** When what is under way to each webhook was sent. A webhook gets its events in their order. */
const sentMs: number[][] = Array.from({ length: webhooks }, () => [])
let latenciesMs: number[] = []
let done = () => {}
let underWay = 0

const port = await listenForDeliveries({ addresses: webhooks }, (place) => {
  const sent = sentMs[place]!.shift()
  if (sent === undefined) return
  latenciesMs.push(performance.now() - sent)
  underWay -= 1
  if (underWay === 0) done()
})
const signed = createSignedRequests({ port, webhooks })

const dispatch = (request: Dispatcher.DispatchOptions, status: number) =>
  agent.dispatch(request, {
    onRequestStart() {},
    onResponseStart(_controller, received) {
      if (received !== status) throw new Error(`responded ${received} instead of ${status}`)
    },
    onResponseData() {},
    onResponseEnd() {},
    onResponseError: (_controller, error) => {
      throw error
    },
  })

let next = 0

function send(to: string | undefined) {
  const places = Array.from({ length: batch }, () => next++ % webhooks)
  underWay += batch
  const nowMs = performance.now()
  for (const place of places) sentMs[place]!.push(nowMs)
  if (to === undefined) for (const _ of places) dispatch(signed(sampleBody), 200)
  else
    dispatch({ origin: to, path: '/operator/events', method: 'POST', headers, body: JSON.stringify({ events: places.map(eventFor) }) }, 202)
}

const percentile = (sorted: readonly number[], part: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]!

async function run({ to, ms }: OpenLoopRequest): Promise<OpenLoopResult> {
  latenciesMs = []
  const delays = monitorEventLoopDelay({ resolution: 1 })
  delays.enable()
  const beganMs = performance.now()
  const requests = Math.floor((ms / 1000) * (perSecond / batch))
  for (let request = 0; request < requests; request += 1) {
    const waitMs = beganMs + (request * 1000 * batch) / perSecond - performance.now()
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs))
    send(to)
  }
  await new Promise<void>((resolve) => {
    done = resolve
    if (underWay === 0) resolve()
  })
  done = () => {}
  delays.disable()
  const sorted = latenciesMs.toSorted((one, other) => one - other)
  const [p50Ms, p99Ms] = [percentile(sorted, 0.5), percentile(sorted, 0.99)]
  return { port, count: sorted.length, p50Ms, p99Ms, slowestMs: sorted.at(-1) ?? 0, ownDelayMs: delays.percentile(99) / 1e6 }
}

serve(
  async (request: OpenLoopRequest) => (request.ms === 0 ? { port } : run(request)),
  () => agent.destroy(),
)
