import { startWorker, type Worker } from '../worker.ts'

/** One connection for each token. */
export interface ConnectRequest {
  url: string
  path: string
  tokens: string[]
}

/** Starts clients; each call answers how many connections are open now. */
export const startClients = (): Promise<Worker<ConnectRequest, { open: number }>> => startWorker('stream-clients.ts', {})
