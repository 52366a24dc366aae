import { createClientOriginOf } from '../access/client-origin.ts'
import { createExplanations } from '../access/explain/explanations.ts'
import { createFailedAttempts } from '../access/failed-attempts.ts'
import { createFailureLog } from '../access/failure-log.ts'
import { createLogins } from '../access/logins.ts'
import { createRecentNonces } from '../access/oauth1/recent-nonces.ts'
import { reportRefusals } from '../access/oauth1/report-refusals.ts'
import { createRefreshTokens } from '../access/oauth2-token-format.ts'
import { createOperatorOf } from '../access/operator-of.ts'
import { createRefusedReport } from '../access/refused-credentials.ts'
import { createReusedReport } from '../access/reused-tokens.ts'
import { createBatchReader } from '../endpoints/ads/audiences/users-batch/batch-reader.ts'
import { createMayCarryCard } from '../endpoints/ads/cards/find-card.ts'
import { PRODUCTION, SANDBOX } from '../endpoints/ads/resources/account.ts'
import { accountResources } from '../endpoints/ads/resources/index.ts'
import { earlyAccess } from '../endpoints/operator/apps/app-settings.ts'
import { loadSeedDocument } from '../endpoints/operator/seed/load-seed.ts'
import type { SeedDocument } from '../endpoints/operator/seed/seed-document.ts'
import { createMac } from '../lib/mac.ts'
import { createSemaphore, type Semaphore } from '../lib/mutex.ts'
import { FOLDERS } from '../storage/media-files.ts'
import type { Delivery } from './delivery.ts'
import type { PublicHost } from './listening.ts'
import type { MediaParts } from './media.ts'
import type { OutboxParts } from './outbox.ts'
import type { Base, RateLimits } from './parts.ts'
import { realOrigins } from './real-hosts.ts'
import { createSnapshotStore } from './snapshots.ts'
import type { TestTools } from './test-tools.ts'

/** What limits and counts wrong credentials. */
function createFailureCounts({ storage, clock, now, logger, metrics }: Base, limits: RateLimits) {
  const failureLog = createFailureLog({ audit: storage.audit, clock, logger, counted: metrics.requests.wrongCredentials })
  return { failureLog, failedAttempts: createFailedAttempts({ limits, windows: storage.rateWindows, log: failureLog, now }) }
}
type FailureCounts = ReturnType<typeof createFailureCounts>

/** The early access of an app that is given none: everything in development, nothing in production. */
const usualEarlyAccess = ({ development }: Base): string[] => (development ? [...earlyAccess] : [])

/** What works in the background beside deliveries, as far as requests use it. */
interface WorkParts {
  media: MediaParts
  outbox: OutboxParts
}

/** What loads a seed, and what a reset goes back to. */
function createSeeding(
  base: Base,
  delivery: Delivery,
  { media, outbox: { outbox } }: WorkParts,
  { failureLog, failedAttempts }: FailureCounts,
) {
  const { mediaFiles } = media.services
  const { storage, eventLog, ids, now, clock, seed, development, more, testTools } = base
  const services = {
    storage,
    ids,
    now,
    loopbackCallbacks: development,
    refusesWeakSecrets: !development,
    usualEarlyAccess: usualEarlyAccess(base),
    accountResources: [...accountResources, ...(more?.resources ?? [])],
  }
  const load = (document: SeedDocument) => loadSeedDocument(document, services)
  const clear = async () => {
    delivery.dispatcher.clear()
    delivery.streams.clear()
    await failureLog.flush()
    failedAttempts.clear()
    await outbox.settled()
  }
  const backToSeed = async () => {
    try {
      await clear()
      await eventLog.wipe()
      await storage.wipe()
      testTools?.clear()
      for (const folder of FOLDERS) await mediaFiles.remove(await mediaFiles.list(folder))
      clock.setOffset(0)
      if (seed) await load(seed)
    } finally {
      // If it failed, what is still in the log waits for its lanes.
      await delivery.resume()
    }
  }
  return { seed: load, backToSeed, snapshots: createSnapshotStore(base, { delivery, media, outbox, clear }) }
}

/** What verifies signatures and logins, logs those that are refused and, in development, explains why a call was. */
function createSigning({ storage, now, logger, listening: { origins }, development }: Base, { failureLog: log }: FailureCounts) {
  const explanations = createExplanations({ origin: () => origins.base_url, now })
  const refused = reportRefusals({ explanations: development ? explanations : undefined, logger })
  const { users, signInAddresses, rateWindows: windows } = storage
  const reportRefused = createRefusedReport(logger)
  return { refused, reportRefused, explanations, logins: createLogins({ users, signInAddresses, windows, log, reportRefused, now }) }
}

/** In development the clock may have been moved, which clients do not know. */
const createMovedClockServices = ({ storage, clock }: Base) => ({
  machineNow: () => clock.now() - clock.offset(),
  nonces: createRecentNonces(storage.nonces, clock),
})

/** The stores that endpoints and their authentication are given. */
function storesOf({ storage, eventLog }: Base) {
  const { apps, usage, webhooks, subscriptions, streamConnections, replayJobs, bearerTokens, requestTokens } = storage
  const { userTokens, oauth2Grants, revocations, sessions, nonces, users, consents, metadata, audit, records } = storage
  const { worlds } = storage
  const { accountMembers, accountHistory, content, catalogs, scheduledFeeds, imageChecks, memberships } = storage
  return {
    apps,
    usage,
    webhooks,
    subscriptions,
    streamConnections,
    replayJobs,
    bearerTokens,
    requestTokens,
    userTokens,
    oauth2Grants,
    revocations,
    sessions,
    nonces,
    users,
    consents,
    metadata,
    audit,
    records,
    accountMembers,
    accountHistory,
    content,
    catalogs,
    scheduledFeeds,
    imageChecks,
    memberships,
    eventLog,
    worlds,
  }
}

/** What endpoints and their authentication are given. A host has its own origins, and an advertising host its own accounts. */
export function assembleServices(base: Base, delivery: Delivery, work: WorkParts, limits: RateLimits) {
  const { settings, clock, operatorTokens, listening, development, testTools } = base
  const { challenger, revalidate, replayRunner, publisher, resender, streams } = delivery
  const { outbox } = work.outbox
  const failureCounts = createFailureCounts(base, limits)
  const turns = createSemaphore(1, Number.POSITIVE_INFINITY)
  const inTurn: Semaphore = (task) => turns(() => base.activity.apart(task))
  const seeding = createSeeding(base, delivery, work, failureCounts)
  const originOf = (host: PublicHost) =>
    createClientOriginOf({
      trusted: settings.trustProxy,
      origins: () => listening.clientOrigins(host),
      forwardedToo: development ? realOrigins(host) : [],
    })
  const general = {
    ...storesOf(base),
    dialect: base.dialect,
    logger: base.logger,
    clock,
    challenger,
    revalidate,
    replayRunner,
    publisher,
    resender,
    outbox,
    streams,
    activity: base.activity,
    inTurn,
    development,
    loopbackHttp: development,
    loopbackCallbacks: development,
    refusesWeakSecrets: !development,
    eventWarnings: settings.eventWarnings,
    operatorOf: createOperatorOf(operatorTokens),
    usualEarlyAccess: usualEarlyAccess(base),
    ...failureCounts,
    refreshTokens: createRefreshTokens(createMac(base.secrets)),
    reportReused: createReusedReport(base.logger, base.metrics.requests.grantEndedByReuse),
    batchReader: createBatchReader(),
    mayCarryCard: createMayCarryCard({ records: base.storage.records }),
    ...work.media.services,
    // The endpoints that use them are served in development alone.
    ...(testTools?.services as TestTools['services']),
    ...(development && createMovedClockServices(base)),
    ...seeding,
    backToSeed: () => inTurn(seeding.backToSeed),
    ...createSigning(base, failureCounts),
    originOf: originOf('general'),
    adsHost: PRODUCTION,
  }
  return {
    general,
    advertising: { ...general, originOf: originOf('advertising') },
    sandbox: { ...general, originOf: originOf('sandbox'), adsHost: SANDBOX },
  }
}
export type Services = ReturnType<typeof assembleServices>
