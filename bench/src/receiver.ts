import type { Certificate } from '../../server/test/stage/certificates.ts'
import { startWorker } from './worker.ts'

export interface ReceiverArgument {
  addresses: number
  /** For TLS: the CA that signs a certificate for each address. */
  authority?: Certificate
}

/** Answered once so many deliveries were acknowledged since the last request, or at the timeout. */
export interface ReceiverRequest {
  atLeast: number
  timeoutMs: number
  /** Breaks all connections. From then on some callbacks are faulty (`faultyBehavior`), or none. */
  injectFaults?: boolean
}

export interface ReceiverResponse {
  port: number
  received: number
  latenciesMs: number[]
}

/** What was received since the last time. */
export interface Received {
  /** Acknowledged deliveries; a timestamped event counts once. */
  received: number
  /** Of timestamped events: from sending to the first receipt. */
  latenciesMs: readonly number[]
}

export interface Receiver extends AsyncDisposable {
  port: number
  /** What was received since the last call, once it is at least so many. Rejects after 30 s. */
  receive(atLeast: number): Promise<Received>
  /** The same, but resolves with what there is at the timeout. */
  receiveWithin(atLeast: number, timeoutMs: number): Promise<Received>
  /** Breaks all connections; from then on some callbacks are faulty, or none. */
  injectFaults(on: boolean): Promise<void>
}

/** How a callback responds: at once, never, with 500, or one byte a second. */
export type CallbackBehavior = 'healthy' | 'hangs' | 'fails' | 'trickles'

/** Fault injection: 1 % of the callbacks hang, 5 % respond with 500, and a single one trickles. */
export function faultyBehavior(place: number): CallbackBehavior {
  if (place === 1) return 'trickles'
  if (place % 100 === 0) return 'hangs'
  return place % 20 === 5 ? 'fails' : 'healthy'
}

const TIMEOUT_MS = 30_000

/** Starts the process with all callbacks: one loopback address for each webhook, all on one port. */
export async function startReceiver(addresses: number, authority?: Certificate): Promise<Receiver> {
  const worker = await startWorker<ReceiverRequest, ReceiverResponse>('receiver.ts', { addresses, authority } satisfies ReceiverArgument)
  const receiveWithin = (atLeast: number, timeoutMs: number) => worker.call({ atLeast, timeoutMs })
  const { port } = await receiveWithin(0, 0)
  return {
    port,
    receiveWithin,
    async receive(atLeast) {
      const received = await receiveWithin(atLeast, TIMEOUT_MS)
      if (received.received < atLeast) throw new Error(`${received.received} of ${atLeast} deliveries came within ${TIMEOUT_MS / 1000} s`)
      return received
    },
    injectFaults: async (on) => void (await worker.call({ atLeast: 0, timeoutMs: 0, injectFaults: on })),
    [Symbol.asyncDispose]: () => worker[Symbol.asyncDispose](),
  }
}
