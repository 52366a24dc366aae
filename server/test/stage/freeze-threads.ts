import { Session } from 'node:inspector'

/** Stops the threads of this process that begin from now on, each for a while, when they are told to. */
export function startFreezer() {
  const session = new Session()
  session.connect()
  const ids: string[] = []
  session.on('NodeWorker.attachedToWorker', ({ params }) => ids.push(params.sessionId))
  session.post('NodeWorker.enable', { waitForDebuggerOnStart: false })
  return {
    freeze(ms: number) {
      const expression = `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${ms})`
      const message = JSON.stringify({ id: 1, method: 'Runtime.evaluate', params: { expression } })
      for (const sessionId of ids) session.post('NodeWorker.sendMessageToWorker', { message, sessionId })
    },
    [Symbol.dispose]: () => session.disconnect(),
  }
}
