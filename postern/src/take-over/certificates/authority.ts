import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  X509Certificate,
} from 'node:crypto'
import { bits, boolean, explicit, implicit, integer, objectId, octets, sequence, set, utcTime, utf8 } from './der.ts'

/** An extension of a certificate (RFC 5280, section 4.2). A client that does not know a critical one must refuse the certificate. */
const extension = (id: string, isCritical: boolean, contents: Buffer) =>
  sequence(objectId(id), ...(isCritical ? [boolean(true)] : []), octets(contents))

const spkiOf = (key: KeyObject): Buffer => key.export({ type: 'spki', format: 'der' })

const idOf = (key: KeyObject) => createHash('sha1').update(spkiOf(key)).digest()

const DNS_NAME = 2
const IP_ADDRESS = 7
const [EVERY_IPV4, EVERY_IPV6] = [Buffer.alloc(8), Buffer.alloc(32)]

/** It signs servers alone, and no other authority. */
const isAuthority = extension('2.5.29.19', true, sequence(boolean(true), integer(Buffer.of(0))))
const isServer = extension('2.5.29.19', true, sequence())
const signsCertificates = extension('2.5.29.15', true, bits(Buffer.of(0b0000_0100), 2))
const signsHandshakes = extension('2.5.29.15', true, bits(Buffer.of(0b1000_0000), 7))
const authenticatesServers = extension('2.5.29.37', false, sequence(objectId('1.3.6.1.5.5.7.3.1')))
const subjectKey = (key: KeyObject) => extension('2.5.29.14', false, octets(idOf(key)))
const authorityKey = (key: KeyObject) => extension('2.5.29.35', false, sequence(implicit(0, idOf(key))))

/** What an authority may sign: certificates of these names and of names below them, and of no address. */
const nameConstraints = (hosts: readonly string[]) =>
  extension(
    '2.5.29.30',
    true,
    sequence(
      explicit(0, ...hosts.map((host) => sequence(implicit(DNS_NAME, Buffer.from(host))))),
      explicit(1, ...[EVERY_IPV4, EVERY_IPV6].map((addresses) => sequence(implicit(IP_ADDRESS, addresses)))),
    ),
  )

/** These hosts, and names one level below them. */
const alternativeNames = (hosts: readonly string[]) =>
  extension(
    '2.5.29.17',
    false,
    sequence(...hosts.flatMap((host) => [host, `*.${host}`]).map((host) => implicit(DNS_NAME, Buffer.from(host)))),
  )

/** The extensions of an authority for these hosts. */
const authorityExtensions = (hosts: readonly string[], key: KeyObject): Buffer[] => [
  isAuthority,
  signsCertificates,
  authenticatesServers,
  nameConstraints(hosts),
  subjectKey(key),
]

/** The extensions of a server that is each of these hosts and the names below them. */
const serverExtensions = (hosts: readonly string[], key: KeyObject, authority: KeyObject): Buffer[] => [
  isServer,
  signsHandshakes,
  authenticatesServers,
  alternativeNames(hosts),
  subjectKey(key),
  authorityKey(authority),
]

/** A certificate and its key, both PEM. */
export interface Certificate {
  cert: string
  key: string
}

const DAY_MS = 86_400_000
/** The clocks of clients may be behind. */
const BACKDATED_MS = DAY_MS
const AUTHORITY_MS = 365 * DAY_MS
/** No client takes more of a server. */
const SERVER_MS = 397 * DAY_MS

const AUTHORITY_NAME = 'Postern, for tests on this machine only'

const ECDSA_WITH_SHA256 = sequence(objectId('1.2.840.10045.4.3.2'))
const V3 = integer(Buffer.of(2))

const nameOf = (commonName: string) => sequence(set(sequence(objectId('2.5.4.3'), utf8(commonName))))

interface Period {
  from: Date
  to: Date
}

const periodOf = (forMs: number, nowMs = Date.now()): Period => ({ from: new Date(nowMs - BACKDATED_MS), to: new Date(nowMs + forMs) })

/** Twenty bytes at most, and positive. */
const newSerialNumber = () => Buffer.of(1, ...randomBytes(15))

const pem = (der: Buffer) => `-----BEGIN CERTIFICATE-----\n${der.toString('base64').replace(/.{1,64}/g, '$&\n')}-----END CERTIFICATE-----\n`

interface Contents {
  serialNumber: Buffer
  subject: string
  valid: Period
  key: KeyObject
  extensions: readonly Buffer[]
}

/** What an authority signs (RFC 5280). */
const toBeSigned = ({ serialNumber, subject, valid, key, extensions }: Contents) =>
  sequence(
    ...[explicit(0, V3), integer(serialNumber), ECDSA_WITH_SHA256, nameOf(AUTHORITY_NAME)],
    ...[sequence(utcTime(valid.from), utcTime(valid.to)), nameOf(subject), spkiOf(key)],
    explicit(3, sequence(...extensions)),
  )

function signedBy(authorityKey: KeyObject, contents: Omit<Contents, 'serialNumber'>): string {
  const signed = toBeSigned({ ...contents, serialNumber: newSerialNumber() })
  return pem(sequence(signed, ECDSA_WITH_SHA256, bits(sign('sha256', signed, authorityKey))))
}

const newKeys = () => generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
const keyText = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }).toString()

/** Makes an authority that can sign for these hosts, names below them, and nothing else. */
export function makeAuthority(hosts: readonly string[]): Certificate {
  const { privateKey, publicKey } = newKeys()
  const extensions = authorityExtensions(hosts, publicKey)
  const cert = signedBy(privateKey, { subject: AUTHORITY_NAME, valid: periodOf(AUTHORITY_MS), key: publicKey, extensions })
  return { cert, key: keyText(privateKey) }
}

/** The bytes before what is signed: the tag of a certificate and its length, which takes two bytes more. */
const BEFORE_SIGNED = 4

/**
 * Whether an authority is what `makeAuthority` makes for these hosts, byte by byte but for its serial number, its dates and its keys, has
 * its key, and is valid for a day. So it cannot sign for anything else, wherever it comes from. Throws where there is no certificate or no key.
 */
export function isAuthorityFor(hosts: readonly string[], { cert, key }: Certificate, nowMs = Date.now()): boolean {
  const certificate = new X509Certificate(cert)
  const { publicKey, raw } = certificate
  const valid = { from: certificate.validFromDate, to: certificate.validToDate }
  const serialNumber = Buffer.from(certificate.serialNumber, 'hex')
  const expected = toBeSigned({
    serialNumber,
    subject: AUTHORITY_NAME,
    valid,
    key: publicKey,
    extensions: authorityExtensions(hosts, publicKey),
  })
  return (
    certificate.checkPrivateKey(createPrivateKey(key)) &&
    expected.equals(raw.subarray(BEFORE_SIGNED, BEFORE_SIGNED + expected.length)) &&
    valid.to.getTime() > nowMs + DAY_MS &&
    valid.to.getTime() <= nowMs + AUTHORITY_MS
  )
}

/** Makes a certificate of a server that is each of these hosts, and each name one level below them. */
export function makeServerCertificate(hosts: readonly string[], authority: Pick<Certificate, 'key'>): Certificate {
  const authorityKey = createPrivateKey(authority.key)
  const { privateKey, publicKey } = newKeys()
  const extensions = serverExtensions(hosts, publicKey, createPublicKey(authorityKey))
  return {
    cert: signedBy(authorityKey, { subject: hosts[0]!, valid: periodOf(SERVER_MS), key: publicKey, extensions }),
    key: keyText(privateKey),
  }
}
