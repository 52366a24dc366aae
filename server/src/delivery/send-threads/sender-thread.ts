// Sends the requests of some webhooks, with connections, TLS sessions, names and deadlines of its own. A batch of requests comes with each
// message, a batch of outcomes goes back at the end of each turn of the event loop.
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { createClock, endOfTurn } from '../../lib/clock.ts'
import type { Listener } from '../send/address-guard.ts'
import { createSender, type Outcome } from '../send/sender.ts'
import { CLOSE, movedWith, type Numbered, packOutcomes, type RequestBatch, type SenderThreadData, unpackRequests } from './batches.ts'

function serve(port: MessagePort, { options }: SenderThreadData) {
  let listeners: readonly Listener[] = []
  const sender = createSender({ ...options, clock: createClock(), refuse: () => listeners })
  let ended: Numbered<Outcome>[] = []

  const post = () => {
    if (ended.length === 0) return
    const batch = packOutcomes(ended)
    ended = []
    port.postMessage(batch, movedWith(batch))
  }

  const end = (id: number, outcome: Outcome) => {
    if (ended.push([id, outcome]) === 1) void endOfTurn().then(post)
  }

  const close = async () => {
    await sender.close()
    await endOfTurn()
    post()
    port.close()
  }

  port.on('message', (message: RequestBatch | typeof CLOSE) => {
    if (message === CLOSE) return void close()
    listeners = message.listeners ?? listeners
    for (const [id, out] of unpackRequests(message)) void sender.send(out).then((outcome) => end(id, outcome))
  })
}

if (parentPort) serve(parentPort, workerData)
