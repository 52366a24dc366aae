import { type Pair, setPair } from './pair.ts'
import { demoApp, type StageOptions } from './postern.ts'
import { startReceiver, type TestReceiver } from './receiver.ts'

/** Servers that compete for what the demo app has, and its receiver, which may hold what they send. */
export interface Race extends Pair {
  receiver: TestReceiver
  /** The bearer token of the demo app. */
  token: string
}

export async function setRace(options: StageOptions): Promise<Race> {
  await using begun = new AsyncDisposableStack()
  const pair = begun.use(await setPair(options))
  const receiver = begun.use(await startReceiver([demoApp.consumer_secret]))
  const token = await pair.one.token()
  const owned = begun.move()
  return { ...pair, receiver, token, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}
