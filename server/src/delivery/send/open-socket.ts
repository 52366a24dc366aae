import { constants } from 'node:crypto'
import { connect as connectTcp, type LookupFunction, type OnReadOpts, type Socket, type TcpNetConnectOpts } from 'node:net'
import { connect as connectTls, createSecureContext, getCACertificates, type TLSSocket } from 'node:tls'
import { lazy } from '../../lib/lazy.ts'
import type { AddressCheck } from './address-guard.ts'
import { explainCertificate } from './explain-certificate.ts'
import type { AttemptPosition } from './explain-error.ts'
import { SendFailure } from './outcome.ts'
import type { NameResolver } from './resolve-name.ts'
import type { SessionCache } from './session-cache.ts'
import type { Target } from './target.ts'

const KEEP_ALIVE_PROBE_MS = 60_000
/** The next of several addresses is tried after so long, in place of the one before: later than the system sends a lost SYN again, after 1 s. */
const NEXT_ADDRESS_MS = 1500

/** Updated while a socket is opened. */
export interface Progress extends AttemptPosition {
  /** See `Measured` in outcome.ts. */
  restricted: boolean
}

/**
 * Opens a socket to a target that the address guard allows. Aborting the signal closes the socket, also while it opens. `onread` takes what
 * is received, instead of the stream.
 */
export type OpenSocket = (target: Target, progress: Progress, signal: AbortSignal, onread?: OnReadOpts) => Promise<Socket>

export interface OpenSocketOptions {
  names: NameResolver
  checkAddress: (address: string, port: number) => AddressCheck
  sessions: SessionCache
  /** PEM certificates that are trusted in addition to the system's. */
  ca?: string
}

/**
 * Opens sockets in these steps: resolve the name → check every address, and refuse the name if one is refused → connect to a checked
 * address → check the remote address of the socket → for https, do the TLS handshake and check the certificate. Nothing but the handshake
 * is sent before the socket is returned.
 */
export function createOpenSocket({ names, checkAddress, sessions, ca }: OpenSocketOptions): OpenSocket {
  /** Otherwise a server could renegotiate without end. */
  const secureOptions = constants.SSL_OP_NO_RENEGOTIATION
  const secureContext = lazy(() =>
    createSecureContext({ minVersion: 'TLSv1.2', secureOptions, ca: ca && [...getCACertificates('default'), ca] }),
  )
  // Certificates that cannot be read are an error of the start.
  if (ca) secureContext()

  const checkAll = (target: Target, addresses: readonly string[], progress: Progress) => {
    for (const address of addresses) {
      const check = checkAddress(address, target.port)
      progress.restricted ||= !check.ok || check.restricted
      if (!check.ok) throw new SendFailure('address_not_allowed', refusal(target, address, check.refused))
    }
  }

  /** `checkCertificate` checks the certificate instead of Node, for a better error message. */
  const connectSecurely = async (target: Target, options: TcpNetConnectOpts, reached: (socket: Socket) => void) => {
    const resumption = sessions.resume(target.origin)
    const servername = target.isAddress ? '' : target.host
    const tls = {
      ...resumption.options,
      servername,
      secureContext: secureContext(),
      ALPNProtocols: ['http/1.1'],
      rejectUnauthorized: false,
    }
    const socket = connectTls({ ...options, ...tls })
    resumption.watch(socket)
    try {
      await ready(socket, 'secureConnect', reached)
    } catch (error) {
      sessions.delete(target.origin)
      throw error
    }
    checkCertificate(socket, target.host)
    return socket
  }

  return async (target, progress, signal, onread) => {
    progress.step = 'resolving'
    progress.peer = target.host
    progress.restricted = true
    const addresses = target.isAddress ? [target.host] : await names.resolve(target.host)
    signal.throwIfAborted()
    progress.restricted = false
    checkAll(target, addresses, progress)
    progress.step = 'connecting'
    progress.peer = peerOf(target, addresses)
    const reached = (socket: Socket) => {
      checkAll(target, [socket.remoteAddress ?? ''], progress)
      progress.peer = peerOf(target, [socket.remoteAddress!])
      progress.step = target.secure ? 'handshaking' : 'waiting'
    }
    const options = { ...tcpOptions(target, addresses, signal), onread }
    if (target.secure) return await connectSecurely(target, options, reached)
    const socket = connectTcp(options)
    await ready(socket, 'connect', reached)
    return socket
  }
}

const refusal = (target: Target, address: string, why: string) =>
  target.isAddress
    ? `${address} is ${why}; callbacks reach only public addresses`
    : `${target.host} resolves to ${address}, which is ${why}; callbacks reach only public addresses`

function peerOf({ host, isAddress, port }: Target, addresses: readonly string[]): string {
  const where = addresses.map((address) => (address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`)).join(' and ')
  return isAddress ? where : `${host} (${where})`
}

const tcpOptions = (target: Target, addresses: readonly string[], signal: AbortSignal): TcpNetConnectOpts => ({
  port: target.port,
  noDelay: true,
  keepAlive: true,
  keepAliveInitialDelay: KEEP_ALIVE_PROBE_MS,
  signal,
  ...whereTo(addresses),
})

/** One address needs no lookup. Several are tried in turn. */
function whereTo(addresses: readonly string[]): { host: string } & Partial<TcpNetConnectOpts> {
  if (addresses.length === 1) return { host: addresses[0]! }
  const list = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  const lookup: LookupFunction = (_name, _options, answer) => answer(null, list)
  return { host: 'callback', lookup, autoSelectFamily: true, autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS }
}

/** Waits until a socket is ready. `reached` is called before anything is written to it, and may refuse it by throwing. */
function ready(socket: Socket, event: 'connect' | 'secureConnect', reached: (socket: Socket) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const refuse = (error: Error) => {
      socket.destroy()
      reject(error)
    }
    socket.on('error', reject)
    socket.once('close', () => reject(Object.assign(new Error('closed'), { code: 'ECONNRESET' })))
    socket.prependOnceListener('connect', () => {
      try {
        reached(socket)
      } catch (error) {
        refuse(error as Error)
      }
    })
    socket.once(event, () => resolve())
  })
}

function checkCertificate(socket: TLSSocket, host: string): void {
  if (socket.authorized) return
  const leaf = socket.getPeerCertificate(true)
  socket.destroy()
  throw explainCertificate(String(socket.authorizationError), leaf, host)
}
