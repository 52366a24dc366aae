import { once } from 'node:events'
import type { TlsOptions } from 'node:tls'
import { Worker } from 'node:worker_threads'

export interface TlsCallback extends AsyncDisposable {
  /** Where a request is answered after so many milliseconds. */
  answeringAfter(ms: number): string
  /** How many connections were made so far, and how many of them resumed a session. */
  connections(): Promise<{ handshakes: number; resumed: number }>
}

/**
 * A callback over TLS in a thread of its own: it answers while the sender is in the middle of a turn of its event loop, as
 * a callback elsewhere does and one in the same thread never can.
 */
export async function startTlsCallback(options: TlsOptions): Promise<TlsCallback> {
  const thread = new Worker(`${import.meta.dirname}/tls-callback-thread.ts`, { workerData: options })
  const [port] = await once(thread, 'message')
  return {
    answeringAfter: (ms) => `https://127.0.0.1:${port}/${ms}`,
    async connections() {
      thread.postMessage('')
      return (await once(thread, 'message'))[0]
    },
    [Symbol.asyncDispose]: async () => void (await thread.terminate()),
  }
}
