import type { PublicHost } from '../../access/client-origin.ts'
import { headerOf, type RawRequest } from '../../api/declare/raw-request.ts'

/** The domains of the service that Postern stands in for. */
const DOMAINS = ['x.com', 'twitter.com']

/** Which listener is each of its hosts, by the name before the domain. The bare ones have the pages where users sign in. */
const LISTENERS: Readonly<Record<string, PublicHost>> = {
  'api.': 'general',
  'upload.': 'general',
  'stream.': 'general',
  'www.': 'general',
  '': 'general',
  'ads-api.': 'advertising',
  'ads-api-sandbox.': 'sandbox',
}

/** The hosts that clients have built in, and the listener that stands in for each. */
export const realHosts: ReadonlyMap<string, PublicHost> = new Map(
  DOMAINS.flatMap((domain) => Object.entries(LISTENERS).map(([name, listener]) => [name + domain, listener] as const)),
)

/** The origins that clients of a listener sign for when they have its hosts built in. */
export const realOrigins = (listener: PublicHost): string[] =>
  [...realHosts].filter(([, of]) => of === listener).map(([host]) => `https://${host}`)

interface HostNames {
  /** The public origins of the listener. */
  origins: () => readonly string[]
  /** The setting that names them. */
  setting: string
  /** Undefined where the listener is on loopback; else the name that this machine has in its network. */
  machineName: string | undefined
}

/** Nothing that a browser sends; the parser of URLs would take part of it for a path or a password. */
const NO_HOST = /[\s/?#@\\]/

/** The name or address in a Host header, in its usual spelling and without its port. */
function nameIn(host: string): string | undefined {
  return NO_HOST.test(host) ? undefined : URL.parse(`http://${host}`)?.hostname.replace(/\.$/, '')
}

const isLoopback = (name: string) => /^(?:localhost|.*\.localhost|127(?:\.\d+){3}|\[::1\])$/.test(name)

const isAddress = (name: string) => /^(?:\d+(?:\.\d+){3}|\[.*\])$/.test(name)

/** What machines of one network call each other; nobody outside of it can give such a name an address. */
const isLocalName = (name: string) => !name.includes('.')

const MAX_QUOTE_LENGTH = 100

/**
 * Says why a request is refused whose Host header names somebody else; undefined when it is right. A web page can lead a name of its own
 * to this machine, and would then read the answers to its calls (DNS rebinding). What is no name, or a name that only this machine or its
 * network gives, is out of its reach. The port does not matter: a tunnel or a container changes it.
 */
export function createHostCheck({ origins, setting, machineName }: HostNames): (request: RawRequest) => string | undefined {
  const isOurs = (name: string) =>
    isLoopback(name) ||
    (machineName !== undefined && (isAddress(name) || isLocalName(name) || name === machineName.toLowerCase())) ||
    origins().some((origin) => new URL(origin).hostname === name)

  let lastRight: string | undefined
  return (request) => {
    const host = headerOf(request, 'host')
    if (host === undefined || host === lastRight) return undefined
    const name = nameIn(host)
    if (name !== undefined && isOurs(name)) {
      lastRight = host
      return undefined
    }
    const quoted = host.slice(0, MAX_QUOTE_LENGTH)
    const advice =
      name === undefined
        ? ''
        : ` If your client calls it by this name, set ${setting}=${[...origins(), `http://${quoted}`].join()} and restart it.`
    return `The Host header says ${quoted}, which is not a name of this server. In development such calls are refused, because a web page can lead a name of its own here (DNS rebinding).${advice}`
  }
}
