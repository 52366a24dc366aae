import { type ConnectionOptions, checkServerIdentity, type DetailedPeerCertificate, type TLSSocket } from 'node:tls'
import type { Clock } from '../../lib/clock.ts'
import { MINUTE_MS } from '../../lib/time.ts'
import { chainOf } from './explain-certificate.ts'

const MAX_SESSIONS = 2000
/** A session with its certificate usually takes 1 to 3 KB, but a server can send a ticket of any length. */
const MAX_SESSION_BYTES = 8 * 1024
/** How long a checked certificate is trusted without another check. */
const MAX_TRUST_MS = 5 * MINUTE_MS

interface Session {
  /** Key and ticket in OpenSSL's encoding. */
  data: Buffer
  /** When its certificate was checked. */
  checkedMs: number
  /** When the first certificate in the chain expires. */
  expiresMs: number
}

/** Session resumption for one connection. */
export interface Resumption {
  /** For `tls.connect`. */
  options: Pick<ConnectionOptions, 'session' | 'checkServerIdentity'>
  /** Caches the first session that the server sends, if its certificate was accepted. */
  watch(socket: TLSSocket): void
}

export interface SessionCache {
  /** For a new connection to an origin: resumes the cached session, if any, and caches the next one. */
  resume(origin: string): Resumption
  delete(origin: string): void
}

/**
 * Caches the last TLS session of each origin, for at most 2,000 origins. Node considers a resumed session authorized without checking names
 * or dates, and the server sends no certificate. So only sessions with accepted certificates are cached, for at most five minutes after the
 * certificate was checked, however often they are resumed, and never past the expiry of the chain.
 */
export function createSessionCache(clock: Clock): SessionCache {
  /** Oldest first. */
  const sessions = new Map<string, Session>()

  const put = (origin: string, session: Session) => {
    sessions.delete(origin)
    sessions.set(origin, session)
    if (sessions.size > MAX_SESSIONS) sessions.delete(sessions.keys().next().value!)
  }

  const isFresh = ({ checkedMs, expiresMs }: Session) => clock.elapsed() < checkedMs + MAX_TRUST_MS && clock.now() < expiresMs

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
          if (!socket.authorized || data.length > MAX_SESSION_BYTES) return
          if (socket.isSessionReused()) put(origin, { ...offered!, data })
          else put(origin, { data, checkedMs: clock.elapsed(), expiresMs })
        })
      },
    }
  }

  return { resume, delete: (origin) => void sessions.delete(origin) }
}

const expiryOf = (leaf: DetailedPeerCertificate) => Math.min(...chainOf(leaf).map(({ valid_to }) => Date.parse(valid_to)))
