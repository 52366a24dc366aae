import type { PublicHost } from '../../access/client-origin.ts'

/** The domains of the service that Postern stands in for. */
const DOMAINS = ['x.com', 'twitter.com']

/** Which listener is each of its hosts, by the name before the domain. The bare ones have the pages where users sign in. */
const LISTENERS: Readonly<Record<string, PublicHost>> = {
  'api.': 'general',
  'upload.': 'general',
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
