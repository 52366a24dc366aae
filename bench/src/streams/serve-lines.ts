import { setImmediate } from 'node:timers/promises'
import { stopwatch } from '../stopwatch.ts'
import type { Sample } from '../worker.ts'
import { serve } from '../workers/serve.ts'

/** A server of lines. */
export interface LineServer {
  url: string
  /** How many clients are connected. */
  connections(): number
  /** Sends a batch to all clients; answers how many lines were written. */
  send(): number
  /** Nothing waits in memory. */
  isDrained(): boolean
  close(): unknown
}

export interface LineServerState {
  url: string
  connections: number
}

/** Answers where it listens, or with `ms` sends batches for so long, each once the system has taken the one before. */
export const serveLines = ({ url, connections, send, isDrained, close }: LineServer) =>
  serve(async ({ ms }: { ms?: number }): Promise<LineServerState | Sample> => {
    if (ms === undefined) return { url, connections: connections() }
    const watch = stopwatch()
    const startedMs = performance.now()
    let count = 0
    while (performance.now() - startedMs < ms) {
      count += send()
      do await setImmediate()
      while (!isDrained())
    }
    return { ...watch(), count }
  }, close)
