import { startParty } from './party.ts'

/** Answers once it has received so many requests. */
export interface ReceiverQuestion {
  atLeast: number
}

export interface ReceiverAnswer {
  port: number
  received: number
}

export interface Receiver extends AsyncDisposable {
  port: number
  /** How many deliveries have come, once there were at least so many. */
  received(atLeast: number): Promise<number>
}

/** Starts the process that receives, on as many loopback addresses, all on one port. */
export async function startReceiver(addresses: number): Promise<Receiver> {
  const party = await startParty<ReceiverQuestion, ReceiverAnswer>('receiver.ts', { addresses })
  const { port } = await party.ask({ atLeast: 0 })
  return {
    port,
    received: async (atLeast) => (await party.ask({ atLeast })).received,
    [Symbol.asyncDispose]: () => party[Symbol.asyncDispose](),
  }
}
