import { type ConnectionOptions, checkServerIdentity, type DetailedPeerCertificate, type TLSSocket } from 'node:tls'
import type { Clock } from '../../lib/clock.ts'
import { MINUTE_MS } from '../../lib/time.ts'
import { chainOf } from './explain-certificate.ts'

const MOST_SESSIONS = 2000
/** With the certificate in it, a session takes 1 to 3 KB; a ticket may be as long as the server likes. */
const MOST_SESSION_BYTES = 8 * 1024
/** How long a certificate that was checked once is relied upon. */
const LONGEST_TRUST_MS = 5 * MINUTE_MS

interface Session {
  /** Key and ticket, as OpenSSL writes them. */
  data: Buffer
  /** When the certificate was checked that it rests on. */
  checkedMs: number
  /** When the first certificate of the chain expires. */
  expiresMs: number
}

/** How one connection takes part in the cache. */
export interface Resumption {
  /** For `tls.connect`. */
  options: Pick<ConnectionOptions, 'session' | 'checkServerIdentity'>
  /** Caches the first session that the server gives to the socket, if its certificate was accepted. */
  watch(socket: TLSSocket): void
}

export interface SessionCache {
  /** For a new connection to an origin: with it the cached session is resumed, if there is one, and the next one is cached. */
  resume(origin: string): Resumption
  delete(origin: string): void
}

/**
 * Caches the last TLS session of each origin, of at most 2,000 origins. Node takes a resumed session as authorized without
 * a look at names or dates, and the server sends no certificate. Hence only sessions of accepted certificates are cached,
 * each for at most five minutes after the certificate was checked, however often it is resumed, and never past the expiry
 * of the chain.
 */
export function createSessionCache(clock: Clock): SessionCache {
  /** The oldest first. */
  const sessions = new Map<string, Session>()

  const put = (origin: string, session: Session) => {
    sessions.delete(origin)
    sessions.set(origin, session)
    if (sessions.size > MOST_SESSIONS) sessions.delete(sessions.keys().next().value!)
  }

  const isFresh = ({ checkedMs, expiresMs }: Session) => clock.elapsed() < checkedMs + LONGEST_TRUST_MS && clock.now() < expiresMs

  const freshOf = (origin: string) => {
    const session = sessions.get(origin)
    return session && isFresh(session) ? session : undefined
  }

  const resume = (origin: string): Resumption => {
    const offered = freshOf(origin)
    let expiresMs = 0
    return {
      options: {
        session: offered?.data,
        /** Node calls this for an accepted chain, but not for a session that it resumed. */
        checkServerIdentity(host, leaf) {
          expiresMs = expiryOf(leaf as DetailedPeerCertificate)
          return checkServerIdentity(host, leaf)
        },
      },
      watch(socket) {
        socket.once('session', (data: Buffer) => {
          if (!socket.authorized || data.length > MOST_SESSION_BYTES) return
          if (socket.isSessionReused()) put(origin, { ...offered!, data })
          else put(origin, { data, checkedMs: clock.elapsed(), expiresMs })
        })
      },
    }
  }

  return { resume, delete: (origin) => void sessions.delete(origin) }
}

const expiryOf = (leaf: DetailedPeerCertificate) => Math.min(...chainOf(leaf).map(({ valid_to }) => Date.parse(valid_to)))
