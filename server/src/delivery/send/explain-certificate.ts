import type { DetailedPeerCertificate } from 'node:tls'
import { SendFailure } from './outcome.ts'
import { shorten } from './printable.ts'

const MAX_NAMES = 5
const MAX_NAME_LENGTH = 60

/** The certificate chain, from the leaf to the root. */
export function chainOf(leaf: DetailedPeerCertificate): DetailedPeerCertificate[] {
  const chain = [leaf]
  for (let next = leaf.issuerCertificate; next && !chain.includes(next); next = next.issuerCertificate) chain.push(next)
  return chain.filter((certificate) => certificate.valid_to)
}

const day = (date: string) => new Date(date).toISOString()

const names = (certificate: DetailedPeerCertificate) => {
  const all = (certificate.subjectaltname ?? '')
    .split(', ')
    .filter(Boolean)
    .map((name) => name.replace(/^(DNS|IP Address):/, ''))
  if (all.length === 0) return 'it names no host at all (no subjectAltName)'
  const shown = all
    .slice(0, MAX_NAMES)
    .map((name) => shorten(name, MAX_NAME_LENGTH))
    .join(', ')
  return `it is for ${shown}${all.length > MAX_NAMES ? ` and ${all.length - MAX_NAMES} more` : ''}`
}

const issuer = ({ issuer: signer }: DetailedPeerCertificate) => shorten(String(signer?.CN ?? signer?.O ?? 'unknown'), MAX_NAME_LENGTH)

const SENTENCES: Record<string, (leaf: DetailedPeerCertificate, host: string) => string> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: () => 'is self-signed: use one of a public certificate authority',
  SELF_SIGNED_CERT_IN_CHAIN: (leaf) => `comes from an authority that is not trusted here (${issuer(chainOf(leaf).at(-1)!)})`,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: (leaf) => unknownIssuer(leaf),
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: (leaf) => unknownIssuer(leaf),
  UNABLE_TO_GET_ISSUER_CERT: (leaf) => unknownIssuer(leaf),
  CERT_HAS_EXPIRED: (leaf) =>
    `or one of its chain expired at ${
      chainOf(leaf)
        .map((one) => day(one.valid_to))
        .sort()[0]
    }: renew it`,
  CERT_NOT_YET_VALID: (leaf) =>
    `is valid only from ${chainOf(leaf)
      .map((one) => day(one.valid_from))
      .sort()
      .at(-1)}`,
  ERR_TLS_CERT_ALTNAME_INVALID: (leaf, host) => `does not belong to ${host}: ${names(leaf)}`,
}

const unknownIssuer = (leaf: DetailedPeerCertificate) =>
  `comes from an unknown issuer (${issuer(leaf)}): send the intermediate certificates too, and use a public certificate authority`

/** Why the certificate of `host` was not accepted; `code` is OpenSSL's or Node's. */
export function explainCertificate(code: string, leaf: DetailedPeerCertificate, host: string): SendFailure {
  const sentence = leaf?.valid_to ? SENTENCES[code]?.(leaf, host) : undefined
  return new SendFailure('tls', `the certificate of ${host} ${sentence ?? `is not accepted (${code})`}`)
}
