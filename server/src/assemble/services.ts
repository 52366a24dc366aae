import { createClientOriginOf } from '../access/client-origin.ts'
import { createLogins } from '../access/logins.ts'
import { createExplanations } from '../access/oauth1/explain/explanations.ts'
import { reportRefusals } from '../access/oauth1/report-refusals.ts'
import { PRODUCTION, SANDBOX } from '../endpoints/ads/resources/account.ts'
import { accountResources } from '../endpoints/ads/resources/index.ts'
import { earlyAccess } from '../endpoints/operator/apps/app-settings.ts'
import { loadSeed } from '../endpoints/operator/seed/load-seed.ts'
import type { SeedDocument } from '../endpoints/operator/seed/seed-document.ts'
import { constantTimeMatcher } from '../lib/crypto.ts'
import type { Delivery } from './delivery.ts'
import type { PublicHost } from './listening.ts'
import type { Base } from './parts.ts'

/** What loads a seed, and what a reset goes back to. */
function createSeeding({ storage, eventLog, ids, now, clock, seed, development, more }: Base, { dispatcher }: Delivery) {
  const services = {
    ...{ storage, ids, now, loopbackCallbacks: development, earlyAccess: development ? [...earlyAccess] : [] },
    accountResources: [...accountResources, ...(more?.resources ?? [])],
  }
  const load = (document: SeedDocument) => loadSeed(document, services)
  const backToSeed = async () => {
    dispatcher.clear()
    await eventLog.wipe()
    await storage.wipe()
    clock.setOffset(0)
    if (seed) await load(seed)
  }
  return { seed: load, backToSeed }
}

/** What tells who signed a request, and in development why a signature was refused. */
function createSigning({ storage, now, logger, listening: { origins }, development }: Base) {
  const explanations = createExplanations(now)
  const refused = reportRefusals({ explanations: development ? explanations : undefined, origin: () => origins.base_url, logger })
  return { requireHttps: !development, refused, explanations, logins: createLogins(storage.users, storage.rateWindows, now) }
}

/** What endpoints and their authentication are given. A host has its own origins, and an advertising host its own accounts. */
export function assembleServices(base: Base, delivery: Delivery) {
  const { settings, storage, eventLog, clock, now, ids, operatorToken, listening } = base
  const { apps, webhooks, subscriptions, replayJobs, bearerTokens, requestTokens, userTokens, sessions, nonces, users } = storage
  const { metadata, audit, records, accountMembers, accountHistory } = storage
  const { challenger, revalidate, replayRunner, publisher, resender } = delivery
  const originOf = (host: PublicHost) =>
    createClientOriginOf({ trusted: settings.trustProxy, origins: () => listening.clientOrigins(host) })
  const general = {
    ...{ apps, webhooks, subscriptions, replayJobs, bearerTokens, requestTokens, userTokens, sessions, nonces, users },
    ...{ metadata, audit, records, accountMembers, accountHistory, eventLog },
    ...{ clock, now, ids, challenger, revalidate, replayRunner, publisher, resender, loopbackCallbacks: base.development },
    matchesOperatorToken: operatorToken === undefined ? undefined : constantTimeMatcher(operatorToken),
    ...createSeeding(base, delivery),
    ...createSigning(base),
    ...{ originOf: originOf('general'), adsHost: PRODUCTION },
  }
  return {
    general,
    advertising: { ...general, originOf: originOf('advertising') },
    sandbox: { ...general, originOf: originOf('sandbox'), adsHost: SANDBOX },
  }
}
export type Services = ReturnType<typeof assembleServices>
