import { createServer } from 'node:http'
import { createReceiver } from '@postern/receiver'

const USUAL_PORT = 4100

/** Callbacks at every path of the receiver's usual port, or of a free one if that is in use. They verify, and answer challenges. */
export async function startCallbacks(secrets: readonly string[]) {
  /** How many events each path still answers with 503. */
  const failures = new Map<string, number>()
  const receiver = createReceiver({ secrets, onEvent: () => {}, log: () => {} })
  const server = createServer((request, response) => {
    const { method, url = '' } = request
    const left = failures.get(url) ?? 0
    if (method !== 'POST' || left === 0) return receiver.node(request, response)
    failures.set(url, left - 1)
    request.resume().once('end', () => response.writeHead(503, { 'content-type': 'text/plain' }).end('The bot is being deployed.'))
  })
  const listen = (port: number) =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, '127.0.0.1', () => {
        server.off('error', reject)
        resolve()
      })
    })
  await listen(USUAL_PORT).catch(() => listen(0))
  const { port } = server.address() as { port: number }
  return {
    urlOf: (path: string) => `http://127.0.0.1:${port}${path}`,
    /** A path answers so many events with 503 from now on. */
    fail: (path: string, count: number) => void failures.set(path, count),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}
