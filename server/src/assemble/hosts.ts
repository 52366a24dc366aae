import { createHttpsCheck } from '../access/require-https.ts'
import { areas } from '../api/areas.ts'
import type { Fallbacks } from '../api/http/fallbacks.ts'
import type { Route } from '../api/http/route.ts'
import type { Served } from '../development/hosts/other-hosts.ts'
import { serveMedia } from '../endpoints/media/serve-media.ts'
import { SettingsError } from '../settings/mistakes.ts'
import { describedPages } from './described-pages.ts'
import { createGate } from './gate.ts'
import { createMediaOrigin } from './media-origin.ts'
import type { Base, RateLimits } from './parts.ts'
import type { Services } from './services.ts'
import { createServed, createServing, endpointsOf } from './serving.ts'

/** Makes the hosts: general, advertising and its sandbox, and the operator's when it has a port of its own. `metricsPage` is the operator's. */
export function assembleHosts(base: Base, services: Services, limits: RateLimits, metricsPage: Route) {
  const { listening, wing } = base
  const endpoints = endpointsOf(base)
  const { routes, fallbacks, problemOptions, explain } = createServing(base, services, limits)
  const gate = createGate(base, explain)
  // Refuses what clients send unencrypted to the public hosts.
  const admit = wing ? undefined : createHttpsCheck(base.settings.trustProxy)
  const fallbacksBeside = (own: Fallbacks, others: readonly Served[]) => (explain && wing?.explainingFallbacks(own, others, explain)) ?? own
  const apart = createMediaOrigin(base)
  const media = serveMedia({ ...services.general, problemOptions, log: base.logger })

  const served = createServed(base, services, { routes, endpoints, admit })

  const general = gate.host({
    routes: apart(
      [...served.general.routes, ...describedPages(base, endpoints.described, limits), ...(wing?.routes(services.general) ?? [])],
      [media],
      fallbacks.general,
    ),
    fallbacks: fallbacksBeside(fallbacks.general, [served.advertising, served.sandbox]),
    refuses: wing?.foreignName('general'),
    always: endpoints.operator ? [] : apart([metricsPage], [], fallbacks.general),
  })
  const advertisingHost = (host: 'advertising' | 'sandbox', others: readonly Served[]) =>
    gate.host({
      routes: served[host].routes,
      fallbacks: fallbacksBeside(fallbacks.ads, others),
      area: areas.ads,
      refuses: wing?.foreignName(host),
    })
  const advertising = advertisingHost('advertising', [served.general, served.sandbox])
  const sandbox = advertisingHost('sandbox', [served.general])
  // Without `admit`: the operator port is for this machine or its private network, with no proxy before it.
  const operator =
    endpoints.operator &&
    gate.host({
      routes: routes({ endpoints: endpoints.operator, services: services.general }),
      fallbacks: fallbacks.general,
      refuses: wing?.foreignName('general'),
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
