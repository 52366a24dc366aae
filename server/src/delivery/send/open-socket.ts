import { constants } from 'node:crypto'
import { connect as connectTcp, type LookupFunction, type Socket, type TcpNetConnectOpts } from 'node:net'
import { connect as connectTls, createSecureContext, getCACertificates, type TLSSocket } from 'node:tls'
import type { AddressVerdict } from './address-guard.ts'
import { explainCertificate } from './explain-certificate.ts'
import type { Whereabouts } from './explain-error.ts'
import { SendFailure } from './outcome.ts'
import type { NameResolver } from './resolve-name.ts'
import type { SessionCache } from './session-cache.ts'
import type { Target } from './target.ts'

const KEEP_ALIVE_PROBE_MS = 60_000
/** How long one of several addresses may take before the next is tried as well. */
const NEXT_ADDRESS_MS = 1000

/** Kept up to date while a socket is opened. */
export interface Progress extends Whereabouts {
  /** As in an outcome. */
  restricted: boolean
}

/** Opens a socket to a target, through the guard. Aborting the signal ends the opening and the socket. */
export type OpenSocket = (target: Target, progress: Progress, signal: AbortSignal) => Promise<Socket>

export interface OpenSocketOptions {
  names: NameResolver
  judge: (address: string, port: number) => AddressVerdict
  sessions: SessionCache
  /** PEM certificates that are trusted besides the machine's. */
  ca?: string
}

/**
 * Opening takes these steps: resolve (a name; an address is taken as it is) → judge every address, and refuse the whole
 * name if one is refused → connect to an address that was judged → judge the address the socket says it reached → for
 * https, shake hands and check the certificate. Nothing but the TLS handshake is sent before the socket is handed over.
 */
export function createOpenSocket({ names, judge, sessions, ca }: OpenSocketOptions): OpenSocket {
  /** A server that asks for a new handshake again and again would be followed for as long as it likes. */
  const secureOptions = constants.SSL_OP_NO_RENEGOTIATION
  const secureContext = createSecureContext({ minVersion: 'TLSv1.2', secureOptions, ca: ca && [...getCACertificates('default'), ca] })

  const judgeAll = (target: Target, addresses: readonly string[], progress: Progress) => {
    for (const address of addresses) {
      const verdict = judge(address, target.port)
      progress.restricted ||= !verdict.ok || verdict.restricted
      if (!verdict.ok) throw new SendFailure('address_not_allowed', refusal(target, address, verdict.refused))
    }
  }

  /** The certificate is judged by `checkCertificate`, so that what is wrong with it can be told. */
  const connectSecurely = async (target: Target, options: TcpNetConnectOpts, reached: (socket: Socket) => void) => {
    const resumption = sessions.resume(target.origin)
    const servername = target.isAddress ? '' : target.host
    const tls = { ...resumption.options, servername, secureContext, ALPNProtocols: ['http/1.1'], rejectUnauthorized: false }
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

  return async (target, progress, signal) => {
    progress.step = 'resolving'
    progress.peer = target.host
    progress.restricted = true
    const addresses = target.isAddress ? [target.host] : await names.resolve(target.host)
    signal.throwIfAborted()
    progress.restricted = false
    judgeAll(target, addresses, progress)
    progress.step = 'connecting'
    progress.peer = peerOf(target, addresses)
    const reached = (socket: Socket) => {
      judgeAll(target, [socket.remoteAddress ?? ''], progress)
      progress.peer = peerOf(target, [socket.remoteAddress!])
      progress.step = target.secure ? 'handshaking' : 'waiting'
    }
    const options = tcpOptions(target, addresses, signal)
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

/** A single address needs no lookup; of several, each is tried in turn. */
function whereTo(addresses: readonly string[]): { host: string } & Partial<TcpNetConnectOpts> {
  if (addresses.length === 1) return { host: addresses[0]! }
  const list = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  const lookup: LookupFunction = (_name, _options, answer) => answer(null, list)
  return { host: 'callback', lookup, autoSelectFamily: true, autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS }
}

/** Waits until a socket is ready; `reached` is called before anything is written to it, and may refuse by throwing. */
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
