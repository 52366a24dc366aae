import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DetailedPeerCertificate } from 'node:tls'
import { explainCertificate } from '../../src/delivery/send/explain-certificate.ts'

const HOST = 'a.example'
const certificate = (more: object) =>
  ({
    issuer: { CN: 'An Authority' },
    valid_from: 'Mar  1 00:00:00 2026 GMT',
    valid_to: 'Apr  1 00:00:00 2026 GMT',
    ...more,
  }) as DetailedPeerCertificate
const root = certificate({ issuer: { O: 'The Root' }, valid_from: 'Mar  5 00:00:00 2026 GMT', valid_to: 'Mar 20 00:00:00 2026 GMT' })
const leaf = certificate({ issuerCertificate: Object.assign(root, { issuerCertificate: root }) })
const named = (names: string[]) => certificate({ subjectaltname: names.map((name) => `DNS:${name}`).join(', ') })

const REASONS: readonly [code: string, leaf: DetailedPeerCertificate, says: string][] = [
  ['DEPTH_ZERO_SELF_SIGNED_CERT', leaf, 'is self-signed: use one of a public certificate authority'],
  ['SELF_SIGNED_CERT_IN_CHAIN', leaf, 'comes from an authority that is not trusted here (The Root)'],
  ...['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'UNABLE_TO_GET_ISSUER_CERT'].map(
    (code): (typeof REASONS)[number] => [
      code,
      leaf,
      'comes from an unknown issuer (An Authority): send the intermediate certificates too, and use a public certificate authority',
    ],
  ),
  [
    'UNABLE_TO_GET_ISSUER_CERT',
    certificate({ issuer: { CN: 'x'.repeat(61) } }),
    `comes from an unknown issuer (${'x'.repeat(60)}…): send the intermediate certificates too, and use a public certificate authority`,
  ],
  ['CERT_HAS_EXPIRED', leaf, 'or one of its chain expired at 2026-03-20T00:00:00.000Z: renew it'],
  ['CERT_NOT_YET_VALID', leaf, 'is valid only from 2026-03-05T00:00:00.000Z'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', leaf, 'does not belong to a.example: it names no host at all (no subjectAltName)'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', named(['1', '2', '3', '4', '5']), 'does not belong to a.example: it is for 1, 2, 3, 4, 5'],
  [
    'ERR_TLS_CERT_ALTNAME_INVALID',
    named(['1', '2', '3', '4', '5', '6', '7']),
    'does not belong to a.example: it is for 1, 2, 3, 4, 5 and 2 more',
  ],
  ['ERR_TLS_CERT_ALTNAME_INVALID', named(['y'.repeat(61)]), `does not belong to a.example: it is for ${'y'.repeat(60)}…`],
  ['CERT_REVOKED', leaf, 'is not accepted (CERT_REVOKED)'],
  ['CERT_HAS_EXPIRED', {} as DetailedPeerCertificate, 'is not accepted (CERT_HAS_EXPIRED)'],
]

test('a certificate that is not accepted is explained', () => {
  for (const [code, chain, says] of REASONS) {
    const failure = explainCertificate(code, chain, HOST)
    assert.deepEqual([failure.stage, failure.message], ['tls', `the certificate of ${HOST} ${says}`], code)
  }
})
