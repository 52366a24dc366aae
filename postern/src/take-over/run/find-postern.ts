import type { Hosts } from '../take-over.ts'

/** A Postern that runs, as `postern run` leads clients to it. */
export interface FoundPostern {
  /** Its origin, also for browsers. */
  url: string
  dialect: string
  hosts: Hosts
}

// Taken at once: a test may replace the global one to watch its own program.
const { fetch } = globalThis

const ANSWERS_WITHIN_MS = 3000

/** What may be taken over. A server tells its hosts itself, and the authority is made for them. */
const TAKEN_OVER = /^(?:[a-z\d-]+\.)*(?:x|twitter)\.com$/

/** Whether a name in a URL is the real service, or below it. */
export const isRealHost = (hostname: string): boolean => TAKEN_OVER.test(hostname.replace(/\.$/, ''))

const ofService = (hosts: Hosts): Hosts => Object.fromEntries(Object.entries(hosts).filter(([host]) => TAKEN_OVER.test(host)))

/** The origin of a listener, on the host by which the server was reached: that it listens on is one of its own machine. */
function reached(origin: string, url: URL): string {
  const listener = new URL(origin)
  listener.hostname = url.hostname
  return listener.origin
}

/** The same for all listeners; the general one is where it was reached, whatever port it has on its own machine. */
function reachedHosts(hosts: Hosts, url: URL): Hosts {
  const general = hosts['api.x.com']
  return Object.fromEntries(Object.entries(hosts).map(([host, origin]) => [host, origin === general ? url.origin : reached(origin, url)]))
}

/** Asks a server whether it is a Postern in development. Undefined when nothing answers, or something else. */
export async function findPostern(at: string): Promise<FoundPostern | undefined> {
  const url = new URL(at)
  try {
    const answer = await fetch(new URL('/.well-known/postern', url), { signal: AbortSignal.timeout(ANSWERS_WITHIN_MS) })
    const { dialect, hosts } = (await answer.json()) as FoundPostern
    const known = ofService(hosts)
    return Object.keys(known).length > 0 ? { url: url.origin, dialect, hosts: reachedHosts(known, url) } : undefined
  } catch {
    return undefined
  }
}
