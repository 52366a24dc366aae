import { createHash, type KeyObject } from 'node:crypto'
import { bits, boolean, explicit, implicit, integer, objectId, octets, sequence } from './der.ts'

/** An extension of a certificate (RFC 5280, section 4.2). A client that does not know a critical one must refuse the certificate. */
const extension = (id: string, isCritical: boolean, contents: Buffer) =>
  sequence(objectId(id), ...(isCritical ? [boolean(true)] : []), octets(contents))

export const spkiOf = (key: KeyObject): Buffer => key.export({ type: 'spki', format: 'der' })

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

const alternativeNames = (hosts: readonly string[]) =>
  extension('2.5.29.17', false, sequence(...hosts.map((host) => implicit(DNS_NAME, Buffer.from(host)))))

/** The extensions of an authority for these hosts. */
export const authorityExtensions = (hosts: readonly string[], key: KeyObject): Buffer[] => [
  isAuthority,
  signsCertificates,
  authenticatesServers,
  nameConstraints(hosts),
  subjectKey(key),
]

/** The extensions of a server that is each of these hosts. */
export const serverExtensions = (hosts: readonly string[], key: KeyObject, authority: KeyObject): Buffer[] => [
  isServer,
  signsHandshakes,
  authenticatesServers,
  alternativeNames(hosts),
  subjectKey(key),
  authorityKey(authority),
]
