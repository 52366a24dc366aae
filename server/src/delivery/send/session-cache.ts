import type { DetailedPeerCertificate, TLSSocket } from 'node:tls'
import type { Clock } from '../../lib/clock.ts'
import { MINUTE_MS } from '../../lib/duration.ts'
import { chainOf } from './explain-certificate.ts'

const MOST_SESSIONS = 2000
/** With the certificate in it, a session takes 1 to 3 KB; a ticket may be as long as the server likes. */
const MOST_SESSION_BYTES = 8 * 1024
/** How long a certificate that was checked once is relied upon. */
const LONGEST_TRUST_MS = 5 * MINUTE_MS

/** What a later connection to the same origin may resume: with it the server sends no certificate, and none is checked. */
export interface Session {
  /** Key and ticket, as OpenSSL writes them. */
  data: Buffer
  /** When the certificate was checked that it rests on. */
  checkedMs: number
  /** When a certificate of the chain that was checked expires, and the session with it. */
  expiresMs: number
}

export interface SessionCache {
  get(origin: string): Session | undefined
  /** Caches the first session that the server of an origin gives to a socket. `resumed` is the one that was offered to it. */
  watch(origin: string, socket: TLSSocket, resumed: Session | undefined): void
  delete(origin: string): void
}

/**
 * The last TLS session of each origin, of at most 2,000 origins. Only sessions of accepted certificates are cached, and each
 * for at most five minutes after the certificate was checked, however often it is resumed, and never past the expiry of
 * the chain: Node takes a resumed session as authorized without a look at dates or names.
 */
export function createSessionCache(clock: Clock): SessionCache {
  /** In the order in which they were made. */
  const sessions = new Map<string, Session>()

  const put = (origin: string, session: Session) => {
    sessions.delete(origin)
    sessions.set(origin, session)
    if (sessions.size > MOST_SESSIONS) sessions.delete(sessions.keys().next().value!)
  }

  /** A clock that was set back makes a session stale, not everlasting. */
  const isFresh = ({ checkedMs, expiresMs }: Session) => {
    const nowMs = clock.now()
    return nowMs >= checkedMs && nowMs < Math.min(checkedMs + LONGEST_TRUST_MS, expiresMs)
  }

  return {
    get(origin) {
      const session = sessions.get(origin)
      if (!session || isFresh(session)) return session
      sessions.delete(origin)
      return undefined
    },
    watch(origin, socket, resumed) {
      socket.once('session', (data: Buffer) => {
        if (!socket.authorized || data.length > MOST_SESSION_BYTES) return
        if (socket.isSessionReused()) put(origin, { ...resumed!, data })
        else put(origin, { data, checkedMs: clock.now(), expiresMs: expiryOf(socket) })
      })
    },
    delete: (origin) => void sessions.delete(origin),
  }
}

const expiryOf = (socket: TLSSocket) =>
  Math.min(...chainOf(socket.getPeerCertificate(true) as DetailedPeerCertificate).map(({ valid_to }) => Date.parse(valid_to)))
