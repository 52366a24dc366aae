import type { Certificate } from '../../server/test/stage/certificates.ts'
import { startParty } from './party.ts'

export interface ReceiverArgument {
  addresses: number
  /** With it, it speaks TLS, and has a certificate for each address that this one signed. */
  authority?: Certificate
}

/** Answers once so many deliveries were acknowledged since it was last asked, or when the time is over. */
export interface ReceiverQuestion {
  atLeast: number
  withinMs: number
  /** Breaks all connections, and from here on some callbacks misbehave, as trouble.ts says, or none. */
  troubled?: boolean
}

export interface ReceiverAnswer {
  port: number
  received: number
  latenciesMs: number[]
}

/** What came since the last time. */
export interface Received {
  /** Acknowledged deliveries; a stamped event counts once. */
  received: number
  /** Of stamped events: from their sending to their first receipt. */
  latenciesMs: readonly number[]
}

export interface Receiver extends AsyncDisposable {
  port: number
  /** What has come since it was last asked, once that was at least so many. Rejects when they do not come within 30 s. */
  take(atLeast: number): Promise<Received>
  /** The same, but answers with fewer once the time is over. */
  takeWithin(atLeast: number, withinMs: number): Promise<Received>
  /** Breaks all connections and forgets what has come; from here on some callbacks misbehave, or none. At first none does. */
  behave(troubled: boolean): Promise<void>
}

const MOST_MS = 30_000

/** Starts the process that receives, on as many loopback addresses, all on one port. */
export async function startReceiver(addresses: number, authority?: Certificate): Promise<Receiver> {
  const party = await startParty<ReceiverQuestion, ReceiverAnswer>('receiver.ts', { addresses, authority } satisfies ReceiverArgument)
  const takeWithin = (atLeast: number, withinMs: number) => party.ask({ atLeast, withinMs })
  const { port } = await takeWithin(0, 0)
  return {
    port,
    takeWithin,
    async take(atLeast) {
      const taken = await takeWithin(atLeast, MOST_MS)
      if (taken.received < atLeast) throw new Error(`${taken.received} of ${atLeast} deliveries came within ${MOST_MS / 1000} s`)
      return taken
    },
    behave: async (troubled) => void (await party.ask({ atLeast: 0, withinMs: 0, troubled })),
    [Symbol.asyncDispose]: () => party[Symbol.asyncDispose](),
  }
}
