import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below those that systems give to clients, so that nobody else is given one meanwhile. */
const [FIRST, BEYOND] = [20_000, 30_000]
const MAX_TRIES = 50

/** One process is given each port once: a server may be given several before it listens. */
const given = new Set<number>()

/** A port of loopback on which nobody listens: for a server whose public origin hides where it listens. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const port = FIRST + Math.floor(Math.random() * (BEYOND - FIRST))
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    if (!isFree || given.has(port)) {
      server.close()
      continue
    }
    given.add(port)
    server.close()
    await once(server, 'close')
    return port
  }
  throw new Error(`no free port found in ${MAX_TRIES} tries`)
}
