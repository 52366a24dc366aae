import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, sign, X509Certificate } from 'node:crypto'
import { bits, explicit, integer, objectId, sequence, set, utcTime, utf8 } from './der.ts'
import { authorityExtensions, serverExtensions, spkiOf } from './extensions.ts'

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

/** Makes a certificate of a server that is each of these hosts. */
export function makeServerCertificate(hosts: readonly string[], authority: Pick<Certificate, 'key'>): Certificate {
  const authorityKey = createPrivateKey(authority.key)
  const { privateKey, publicKey } = newKeys()
  const extensions = serverExtensions(hosts, publicKey, createPublicKey(authorityKey))
  return {
    cert: signedBy(authorityKey, { subject: hosts[0]!, valid: periodOf(SERVER_MS), key: publicKey, extensions }),
    key: keyText(privateKey),
  }
}
