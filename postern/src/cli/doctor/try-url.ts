import { lookup } from 'node:dns/promises'
import { connect, isIP } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { advice, type Finding, mend, ok } from './step.ts'

const TIMEOUT_MS = 3000
const DAY_MS = 86_400_000
const SOON_DAYS = 14

const LOOPBACK = /^(localhost|127\..*|\[?::1\]?)$/
/** Networks that are not reachable from outside (RFC 1918, RFC 4193, RFC 6598, link-local). */
const PRIVATE = /^(10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|169\.254\.|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|f[cd]|fe80)/i

const isLoopback = ({ hostname }: URL) => LOOPBACK.test(hostname)

/** Whether the URL has the form that a callback needs. */
export function checkForm(url: URL): Finding {
  if (url.hash !== '') return mend('the URL has a fragment', 'Leave what follows # away: it is never sent.')
  if (url.username !== '') return mend('the URL has credentials', 'Leave user and password away: a callback answers whoever signs.')
  if (isLoopback(url)) return ok(`${url.protocol.slice(0, -1)} on loopback, which a Postern in development may reach`)
  if (url.protocol === 'http:')
    return mend('http outside loopback', 'Use https: the real service, and Postern beyond loopback, send nowhere else.')
  if (url.port !== '') return mend(`the URL names port ${url.port}`, 'Use https without a port, or put a proxy before the callback.')
  return ok('https without a port')
}

/** Looks the host name up. */
export async function resolveName(url: URL): Promise<{ finding: Finding; address?: string }> {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (isIP(host)) return { finding: ok(`${host} is an address already`), address: host }
  try {
    const found = await lookup(host, { all: true })
    const address = found[0]!.address
    const list = found.map((one) => one.address).join(', ')
    const isPrivate = !isLoopback(url) && found.some((one) => PRIVATE.test(one.address) || LOOPBACK.test(one.address))
    if (!isPrivate) return { finding: ok(list), address }
    return {
      finding: advice(
        `${list} is in a private network`,
        'The real service reaches public addresses alone; for Postern list the network in POSTERN_CALLBACK_ALLOW.',
      ),
      address,
    }
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    return { finding: mend(`${host} does not resolve (${code})`, 'Check the spelling, or the DNS record of the name.') }
  }
}

const portOf = ({ port, protocol }: URL) => Number(port || (protocol === 'https:' ? 443 : 80))

const REFUSED: Record<string, string> = {
  ECONNREFUSED: 'Start the receiver, or correct the port.',
  ETIMEDOUT: 'Something drops the packets: look at the firewall.',
  EHOSTUNREACH: 'The machine is not reachable from here.',
}

/** Opens a connection and closes it. */
export const tryConnect = (url: URL, address: string): Promise<Finding> =>
  new Promise((resolve) => {
    const port = portOf(url)
    const socket = connect({ host: address, port, timeout: TIMEOUT_MS })
    const end = (finding: Finding) => {
      socket.destroy()
      resolve(finding)
    }
    socket.once('connect', () => end(ok(`${address} port ${port}`)))
    socket.once('timeout', () => end(mend(`${address} port ${port} does not answer within ${TIMEOUT_MS / 1000} s`, REFUSED.ETIMEDOUT!)))
    socket.once('error', ({ code = '' }: NodeJS.ErrnoException) =>
      end(mend(`nothing listens at ${address} port ${port} (${code})`, REFUSED[code] ?? 'Look at the network between here and there.')),
    )
  })

const TLS_HELP: Record<string, string> = {
  ERR_SSL_WRONG_VERSION_NUMBER: 'What listens there speaks plain http: serve TLS, or on loopback use http://.',
  DEPTH_ZERO_SELF_SIGNED_CERT:
    'It is self-signed: use a certificate that everybody trusts, or for Postern give its CA in POSTERN_CALLBACK_CA (here: --ca).',
  SELF_SIGNED_CERT_IN_CHAIN: 'Its CA is not known: for Postern give it in POSTERN_CALLBACK_CA (here: --ca).',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'The intermediate certificate is missing: serve the full chain.',
  CERT_HAS_EXPIRED: 'Renew it.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'It is for other names: get one for this host.',
}

function certificateFinding(socket: TLSSocket, { hostname }: URL): Finding {
  const { valid_to } = socket.getPeerCertificate()
  const daysLeft = Math.floor((Date.parse(valid_to) - Date.now()) / DAY_MS)
  const says = `${socket.getProtocol()}, a certificate for ${hostname} with ${daysLeft} days left`
  return daysLeft < SOON_DAYS ? advice(says, 'Renew the certificate soon.') : ok(says)
}

/** Makes a TLS connection and closes it. */
export const tryTls = (url: URL, address: string, ca: string[] | undefined): Promise<Finding> =>
  new Promise((resolve) => {
    const host = url.hostname.replace(/^\[|\]$/g, '')
    const socket = connectTls({ host: address, port: portOf(url), servername: isIP(host) ? '' : host, ca, timeout: TIMEOUT_MS })
    const end = (finding: Finding) => {
      socket.destroy()
      resolve(finding)
    }
    socket.once('secureConnect', () => end(certificateFinding(socket, url)))
    socket.once('timeout', () => end(mend(`no TLS handshake within ${TIMEOUT_MS / 1000} s`, 'Is this port one of TLS?')))
    socket.once('error', (error: NodeJS.ErrnoException) => {
      const help = TLS_HELP[error.code ?? ''] ?? 'Look at the TLS configuration of the callback, or of the proxy before it.'
      end(mend(`the TLS handshake fails (${error.code ?? error.message})`, help))
    })
  })
