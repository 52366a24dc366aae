import { createPrivateKey, generateKeyPairSync, randomBytes, sign, X509Certificate } from 'node:crypto'
import { isIPv4, isIPv6 } from 'node:net'
import * as der from '../../../postern/src/take-over/certificates/der.ts'

/** A certificate and its key, both PEM. */
export interface Certificate {
  cert: string
  key: string
}

export interface CertificateOptions {
  /** Host names and addresses; `127.0.0.1` and `localhost` when left out; with none there is no subjectAltName. */
  hosts?: readonly string[]
  from?: Date
  until?: Date
  /** Who signs it; itself when left out. */
  issuer?: Certificate
}

const YEAR_MS = 365 * 86_400_000
const ECDSA_WITH_SHA256 = der.sequence(der.objectId('1.2.840.10045.4.3.2'))
const V3 = der.integer(Buffer.of(2))

const nameOf = (commonName: string) => der.sequence(der.set(der.sequence(der.objectId('2.5.4.3'), der.utf8(commonName))))

/** A GeneralizedTime, which any year may be. OpenSSL takes it for years before 2050 too. */
const timeOf = (date: Date) => Buffer.from(`\x18\x0f${date.toISOString().replace(/[-:T]|\.\d+/g, '')}`)

const extension = (id: string, isCritical: boolean, contents: Buffer) =>
  der.sequence(der.objectId(id), ...(isCritical ? [der.boolean(true)] : []), der.octets(contents))

const isServer = extension('2.5.29.19', false, der.sequence())
const isAuthority = extension('2.5.29.19', true, der.sequence(der.boolean(true)))
const signsOthers = extension('2.5.29.15', false, der.bits(Buffer.of(0b0000_0110), 1))

/** The sixteen bytes of an IPv6 address without an IPv4 part. */
function ipv6Bytes(address: string): Buffer {
  const [head = [], tail = []] = address.split('::').map((part) => part.split(':').filter(Boolean))
  const groups = [...head, ...Array(8 - head.length - tail.length).fill('0'), ...tail]
  return Buffer.from(groups.map((group) => group.padStart(4, '0')).join(''), 'hex')
}

function alternativeName(host: string): Buffer {
  if (isIPv4(host)) return der.implicit(7, Buffer.from(host.split('.').map(Number)))
  return isIPv6(host) ? der.implicit(7, ipv6Bytes(host)) : der.implicit(2, Buffer.from(host))
}

interface Contents extends Omit<CertificateOptions, 'hosts'> {
  name: string
  extensions: Buffer[]
}

/** Signs a certificate (RFC 5280) of a new key. */
function make({ name, extensions, issuer, from = new Date(), until = new Date(from.getTime() + YEAR_MS) }: Contents): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const issuerName = issuer ? String(new X509Certificate(issuer.cert).toLegacyObject().subject.CN) : name
  const signed = der.sequence(
    ...[der.explicit(0, V3), der.integer(Buffer.of(1, ...randomBytes(15))), ECDSA_WITH_SHA256, nameOf(issuerName)],
    ...[der.sequence(timeOf(from), timeOf(until)), nameOf(name), publicKey.export({ type: 'spki', format: 'der' })],
    der.explicit(3, der.sequence(...extensions)),
  )
  const signature = sign('sha256', signed, issuer ? createPrivateKey(issuer.key) : privateKey)
  const base64 = der.sequence(signed, ECDSA_WITH_SHA256, der.bits(signature)).toString('base64')
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${base64.replace(/.{1,64}/g, '$&\n')}-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

/** A certificate of a server. */
export async function selfSigned({ hosts = ['127.0.0.1', 'localhost'], ...options }: CertificateOptions = {}): Promise<Certificate> {
  const names = extension('2.5.29.17', false, der.sequence(...hosts.map(alternativeName)))
  return make({ name: hosts[0] ?? 'Nobody', extensions: [isServer, ...(hosts.length > 0 ? [names] : [])], ...options })
}

/** A certificate that signs others; an intermediate one when it has an issuer itself. */
export async function certificateAuthority(name: string, options: Omit<CertificateOptions, 'hosts'> = {}): Promise<Certificate> {
  return make({ name, extensions: [isAuthority, signsOthers], ...options })
}
