import { startParty } from './party.ts'

export interface ReceiverArgument {
  addresses: number
  /** Whether some of them misbehave, as trouble.ts says. */
  troubled: boolean
}

/** Answers once so many deliveries were acknowledged since it was last asked, or when the time is over. */
export interface ReceiverQuestion {
  atLeast: number
  withinMs: number
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
}

const MOST_MS = 30_000

/** Starts the process that receives, on as many loopback addresses, all on one port. */
export async function startReceiver(addresses: number, troubled = false): Promise<Receiver> {
  const argument: ReceiverArgument = { addresses, troubled }
  const party = await startParty<ReceiverQuestion, ReceiverAnswer>('receiver.ts', argument)
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
    [Symbol.asyncDispose]: () => party[Symbol.asyncDispose](),
  }
}
