import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
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
const AUTHORITY_MS = 3_650 * DAY_MS
/** No client takes more of a server. */
const SERVER_MS = 397 * DAY_MS

const AUTHORITY_NAME = 'Postern, for tests on this machine only'

const ECDSA_WITH_SHA256 = sequence(objectId('1.2.840.10045.4.3.2'))
const V3 = integer(Buffer.of(2))

const nameOf = (commonName: string) => sequence(set(sequence(objectId('2.5.4.3'), utf8(commonName))))

const validFor = (forMs: number, nowMs = Date.now()) => sequence(utcTime(new Date(nowMs - BACKDATED_MS)), utcTime(new Date(nowMs + forMs)))

/** Twenty bytes at most, and positive. */
const serialNumber = () => integer(Buffer.of(1, ...randomBytes(15)))

const pem = (der: Buffer) => `-----BEGIN CERTIFICATE-----\n${der.toString('base64').replace(/.{1,64}/g, '$&\n')}-----END CERTIFICATE-----\n`

interface Signed {
  subject: string
  forMs: number
  key: KeyObject
  extensions: readonly Buffer[]
}

/** Signs a certificate (RFC 5280). */
function signedBy(authorityKey: KeyObject, { subject, forMs, key, extensions }: Signed): string {
  const toBeSigned = sequence(
    ...[explicit(0, V3), serialNumber(), ECDSA_WITH_SHA256, nameOf(AUTHORITY_NAME), validFor(forMs), nameOf(subject), spkiOf(key)],
    explicit(3, sequence(...extensions)),
  )
  return pem(sequence(toBeSigned, ECDSA_WITH_SHA256, bits(sign('sha256', toBeSigned, authorityKey))))
}

const newKeys = () => generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
const keyText = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }).toString()

/** Makes an authority that can sign for these hosts, names below them, and nothing else. */
export function makeAuthority(hosts: readonly string[]): Certificate {
  const { privateKey, publicKey } = newKeys()
  const extensions = authorityExtensions(hosts, publicKey)
  const cert = signedBy(privateKey, { subject: AUTHORITY_NAME, forMs: AUTHORITY_MS, key: publicKey, extensions })
  return { cert, key: keyText(privateKey) }
}

/** Makes a certificate of a server that is each of these hosts. */
export function makeServerCertificate(hosts: readonly string[], authority: Pick<Certificate, 'key'>): Certificate {
  const authorityKey = createPrivateKey(authority.key)
  const { privateKey, publicKey } = newKeys()
  const extensions = serverExtensions(hosts, publicKey, createPublicKey(authorityKey))
  return { cert: signedBy(authorityKey, { subject: hosts[0]!, forMs: SERVER_MS, key: publicKey, extensions }), key: keyText(privateKey) }
}
