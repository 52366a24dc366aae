import { inText, isForm } from '../../../access/oauth1/read-signed.ts'
import type { RejectedSignature } from '../../../access/oauth1/verify.ts'
import { headerOf, type RawRequest } from '../../../api/declare/raw-request.ts'
import type { Pair, Signing } from './signing.ts'

function members(text: string): Pair[] {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null) return []
    return Object.entries(value).map(([name, member]) => ({
      name: name.toWellFormed(),
      value: (typeof member === 'string' ? member : JSON.stringify(member)).toWellFormed(),
    }))
  } catch {
    return []
  }
}

function fields(text: string): Pair[] {
  try {
    return inText(text, 'form').map(({ name, value }) => ({ name, value }))
  } catch {
    return []
  }
}

/** What a client may have signed of a body that should not be signed: its JSON members, its form fields, or all of it. */
export function candidateBodies(request: RawRequest): Pair[][] {
  const text = request.body?.toString('utf8') ?? ''
  if (text === '') return []
  const whole = [[{ name: text, value: '' }], [{ name: 'body', value: text }]]
  return isForm(request) ? whole : [members(text), fields(text), ...whole]
}

/** Default hosts of clients, and loopback names. */
const WELL_KNOWN = ['api.x.com', 'api.twitter.com', 'localhost', '127.0.0.1']

const DEFAULT_PORTS: Record<string, string> = { http: '80', https: '443' }

/** A host with and without a port. */
const withPorts = (host: string, scheme: string, ownPort: string) => {
  const name = host.replace(/:\d+$/, '')
  return [host, name, `${name}:${DEFAULT_PORTS[scheme]}`, ...(ownPort ? [`${name}:${ownPort}`] : [])]
}

/** The correct signing, but for each origin that a client may have used instead of the listener's. */
export function candidateHosts(right: Signing, { request, client }: RejectedSignature): Signing[] {
  const { host, hostname, port, protocol } = new URL(right.origin)
  const own = protocol.slice(0, -1)
  const hosts = [headerOf(request, 'host') ?? host, hostname, ...WELL_KNOWN]
  const origins = [own, own === 'http' ? 'https' : 'http'].flatMap((scheme) =>
    hosts.flatMap((name) => withPorts(name, scheme, port).map((guess) => `${scheme}://${guess}`)),
  )
  return [...new Set(origins)].filter((origin) => !client.origins.includes(origin)).map((origin) => ({ ...right, origin }))
}
