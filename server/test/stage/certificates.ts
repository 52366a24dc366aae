import { isIP } from 'node:net'
import { generate } from 'selfsigned'

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

const commonName = (value: string) => [{ name: 'commonName', value }]

/** A certificate of a server. */
export async function selfSigned({
  hosts = ['127.0.0.1', 'localhost'],
  from,
  until,
  issuer,
}: CertificateOptions = {}): Promise<Certificate> {
  const altNames = hosts.map((host) => (isIP(host) ? { type: 7 as const, ip: host } : { type: 2 as const, value: host }))
  const made = await generate(commonName(hosts[0] ?? 'Nobody'), {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: from,
    notAfterDate: until,
    ca: issuer,
    extensions: [{ name: 'basicConstraints', cA: false }, ...(altNames.length > 0 ? [{ name: 'subjectAltName' as const, altNames }] : [])],
  })
  return { cert: made.cert, key: made.private }
}

/** A certificate that signs others; an intermediate one when it has an issuer itself. */
export async function certificateAuthority(
  name: string,
  { issuer, from, until }: Omit<CertificateOptions, 'hosts'> = {},
): Promise<Certificate> {
  const made = await generate(commonName(name), {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: from,
    notAfterDate: until,
    ca: issuer,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true },
    ],
  })
  return { cert: made.cert, key: made.private }
}
