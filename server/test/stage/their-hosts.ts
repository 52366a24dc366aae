import type { SeedDocument } from '../../src/endpoints/operator/seed/seed-document.ts'
import type { Flavour } from './database.ts'
import { setPublicHost } from './public-host.ts'
import { signInSeed } from './sign-in.ts'
import { startTlsProxy } from './tls-proxy.ts'

/** Where the clients call, which they cannot be told otherwise. */
const HOSTS = ['api.x.com', 'api.twitter.com', 'upload.x.com', 'upload.twitter.com']

/** Postern as those hosts, behind a proxy that ends TLS. */
export async function asTheirHosts(seed: SeedDocument = signInSeed, flavour: Flavour = 'sqlite') {
  await using begun = new AsyncDisposableStack()
  const environment = { POSTERN_DIALECT: 'x' }
  const origins = HOSTS.map((host) => `https://${host}`)
  const { stage, port } = begun.use(await setPublicHost(origins, { flavour, seed, environment }))
  const { agent } = begun.use(await startTlsProxy(HOSTS, port))
  const owned = begun.move()
  return { stage, agent, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}
