import type { Stage } from './postern.ts'

/** More than what is awaited beside them takes on a slow machine. */
const MOST = 40_000

/** Clients that call one after the other, each without a pause, until they are disposed or have called very often. */
export async function callingWithoutPause(stage: Stage, clients = 2) {
  const token = await stage.token()
  let isOver = false
  let calls = 0
  const oneClient = async () => {
    for (; !isOver && calls < MOST; calls += 1) await stage.api('GET', '/2/webhooks', { token })
  }
  const calling = Array.from({ length: clients }, oneClient)
  return {
    areCalling: () => calls < MOST,
    async [Symbol.asyncDispose]() {
      isOver = true
      await Promise.all(calling)
    },
  }
}
