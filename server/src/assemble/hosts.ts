import { areas } from '../api/areas.ts'
import { jsonPage } from '../api/http/pages.ts'
import type { Route } from '../api/http/route.ts'
import { serveMedia } from '../endpoints/media/serve-media.ts'
import { SettingsError } from '../settings/mistakes.ts'
import { describedPages } from './described-pages.ts'
import { createGate } from './gate.ts'
import { createHostChecks } from './host-checks.ts'
import { createMediaOrigin } from './media-origin.ts'
import { explainingFallbacks, type Served } from './other-hosts.ts'
import type { Base, RateLimits } from './parts.ts'
import { realHosts } from './real-hosts.ts'
import type { Services } from './services.ts'
import { createServed, createServing, endpointsOf } from './serving.ts'
import { startPageRoute } from './start-page.ts'

/** What `postern run` and the test kit ask: which host of the real service leads to which listener. In development alone. */
const takeOverPage = ({ dialect, listening }: Base): Route => {
  const origins = () => Object.fromEntries([...realHosts].map(([host, listener]) => [host, listening.boundOrigin(listener)]))
  return jsonPage('/.well-known/postern', () => ({ dialect: dialect.name, hosts: origins() }))
}

/** Makes the hosts: general, advertising and its sandbox, and the operator's when it has a port of its own. `metricsPage` is the operator's. */
export function assembleHosts(base: Base, services: Services, limits: RateLimits, metricsPage: Route) {
  const { listening } = base
  const endpoints = endpointsOf(base)
  const { routes, fallbacks, problemOptions, explain } = createServing(base, services, limits)
  const gate = createGate(base, explain)
  const { foreignName, admit } = createHostChecks(base)
  const apart = createMediaOrigin(base)
  const media = serveMedia({ ...services.general, problemOptions, log: base.logger })

  const served = createServed(base, services, { routes, endpoints, admit })

  const general = gate.host({
    routes: apart(
      [
        ...served.general.routes,
        ...describedPages(base, endpoints.described, limits),
        ...(base.development ? [startPageRoute(base, services.general), takeOverPage(base)] : []),
      ],
      [media],
      fallbacks.general,
    ),
    fallbacks: explainingFallbacks(fallbacks.general, [served.advertising, served.sandbox], explain),
    refuses: foreignName('general'),
    always: endpoints.operator ? [] : apart([metricsPage], [], fallbacks.general),
  })
  const advertisingHost = (host: 'advertising' | 'sandbox', others: readonly Served[]) =>
    gate.host({
      routes: served[host].routes,
      fallbacks: explainingFallbacks(fallbacks.ads, others, explain),
      area: areas.ads,
      refuses: foreignName(host),
    })
  const advertising = advertisingHost('advertising', [served.general, served.sandbox])
  const sandbox = advertisingHost('sandbox', [served.general])
  // Without `admit`: the operator port is for this machine or its private network, with no proxy before it.
  const operator =
    endpoints.operator &&
    gate.host({
      routes: routes({ endpoints: endpoints.operator, services: services.general }),
      fallbacks: fallbacks.general,
      refuses: foreignName('general'),
      always: [metricsPage],
    })
  const last = operator ?? general

  return {
    /** @throws SettingsError with every host that cannot listen. */
    async listen() {
      const steps = [
        () => listening.listen('general', general),
        () => listening.listen('advertising', advertising),
        () => listening.listen('sandbox', sandbox),
        () => listening.listenOperator(operator),
      ]
      const mistakes: string[] = []
      for (const step of steps) await step().catch(({ message }: Error) => mistakes.push(message))
      if (mistakes.length > 0) throw new SettingsError(mistakes)
    },
    /** From here on requests are served. */
    open: gate.open,
    isStopping: gate.isStopping,
    /** Closes all hosts but one, which goes on to tell that the process is stopping. */
    async stop() {
      gate.shut(last)
      await Promise.all([general, advertising, sandbox].map((host) => host !== last && host.close()))
    },
    close: () => last.close(),
  }
}
