import { resolve } from 'node:path'
import { createClientOriginOf, type PublicHost } from '../access/client-origin.ts'
import { createFailedAttempts } from '../access/failed-attempts.ts'
import { createFailureLog } from '../access/failure-log.ts'
import { createLogins } from '../access/logins.ts'
import { reportRefusals } from '../access/oauth1/report-refusals.ts'
import { createRefreshTokens } from '../access/oauth2-token-format.ts'
import { createOperatorOf } from '../access/operator-of.ts'
import { createOperatorSessions } from '../access/operator-sessions.ts'
import { createPortals } from '../access/portals.ts'
import type { RateLimits } from '../access/rate-limits.ts'
import { createRefusedReport } from '../access/refused-credentials.ts'
import { createReusedReport } from '../access/reused-tokens.ts'
import type { Wing } from '../development/wing.ts'
import { createBatchReader } from '../endpoints/ads/audiences/users-batch/batch-reader.ts'
import { createMayCarryCard } from '../endpoints/ads/cards/find-card.ts'
import { PRODUCTION, SANDBOX } from '../endpoints/ads/resources/account.ts'
import { accountResources } from '../endpoints/ads/resources/index.ts'
import { earlyAccess } from '../endpoints/operator/apps/app-settings.ts'
import type { ServerFacts } from '../endpoints/operator/get-server.ts'
import { loadSeedDocument } from '../endpoints/operator/seed/load-seed.ts'
import type { SeedDocument } from '../endpoints/operator/seed/seed-document.ts'
import { createMac } from '../lib/crypto.ts'
import type { GiveWay } from '../lib/fair-turns.ts'
import { createSeal } from '../lib/seal.ts'
import { createSharedRead } from '../lib/shared-read.ts'
import { VERSION } from '../lib/version.ts'
import { MAX_COUNTED } from '../storage/sizes.ts'
import type { Delivery } from './delivery.ts'
import type { Fleet } from './fleet.ts'
import type { MediaParts } from './media.ts'
import type { OutboxParts } from './outbox.ts'
import type { Base } from './parts.ts'

/** What limits and counts wrong credentials. */
function createFailureCounts({ storage, clock, now, logger, metrics }: Base, limits: RateLimits) {
  const failureLog = createFailureLog({ audit: storage.audit, clock, logger, counted: metrics.requests.wrongCredentials })
  return { failureLog, failedAttempts: createFailedAttempts({ limits: limits.shared, windows: storage.rateWindows, log: failureLog, now }) }
}
type FailureCounts = ReturnType<typeof createFailureCounts>

/** The early access of an app that is given none: everything in development, nothing in production. */
const usualEarlyAccess = ({ development }: Base): string[] => (development ? [...earlyAccess] : [])

const SQLITE = 'sqlite:'
const MEMORY = ':memory:'

/** Which database a URL names, without credentials and parameters. */
function describeDatabase(url: string): string {
  if (!url.startsWith(SQLITE)) {
    const { host, pathname } = new URL(url)
    return `PostgreSQL ${host}${pathname}`
  }
  const path = url.slice(SQLITE.length)
  return path === MEMORY ? 'SQLite in memory' : `SQLite ${resolve(path)}`
}

const serverFacts = ({ settings: { profile, roles, databaseUrl }, storage: { worker }, dialect, listening, now }: Base): ServerFacts => ({
  pid: process.pid,
  worker,
  profile,
  dialect: dialect.name,
  version: VERSION,
  roles,
  database: describeDatabase(databaseUrl),
  startedAtMs: now(),
  origins: listening.origins,
})

/** Operators who look at the same time share what is asked of the database. */
const QUEUES_KEPT_MS = 2_000

/** Events are counted at most so often. */
const EXTENT_KEPT_MS = 60_000

/** The rows of all apps are counted at most so often. */
const ROWS_KEPT_MS = 60_000

/** What works in the background beside deliveries, as far as requests use it. */
interface WorkParts {
  media: MediaParts
  outbox: OutboxParts
  fleet: Fleet
}

/** What loads a seed and, in development, what replaces all data. */
function createSeeding(
  base: Base,
  delivery: Delivery,
  { media, outbox: { outbox } }: WorkParts,
  { failureLog, failedAttempts }: FailureCounts,
) {
  const { storage, ids, now, development, feed, more, wing } = base
  const services = {
    storage,
    ids,
    now,
    loopbackCallbacks: development,
    refusesWeakSecrets: !development,
    usualEarlyAccess: usualEarlyAccess(base),
    accountResources: [...accountResources, ...(more?.resources ?? [])],
  }
  const load = (document: SeedDocument, giveWay?: GiveWay) => loadSeedDocument(document, services, giveWay)
  const clear = async () => {
    delivery.dispatcher.clear()
    delivery.streams.clear()
    feed.replaced()
    await failureLog.flush()
    failedAttempts.clear()
    await outbox.settled()
  }
  const { snapshots, services: mediaServices } = media
  const held = {
    load,
    clear,
    resume: delivery.resume,
    settled: outbox.settled,
    media: snapshots!,
    mediaFiles: mediaServices.mediaFiles,
    underWay: delivery.dispatcher.underWay,
  }
  // The endpoints that use what the wing adds are served in development alone.
  return { seed: load, ...(wing?.services(held) as ReturnType<Wing['services']>) }
}

/** What verifies signatures and logins, logs those that are refused and, in development, explains why a call was. */
function createSigning({ storage, now, logger, wing }: Base, { failureLog: log }: FailureCounts) {
  const refused = reportRefusals({ explainSignature: wing?.explainSignature, logger })
  const { users, signInAddresses, rateWindows: windows } = storage
  const reportRefused = createRefusedReport(logger)
  return { refused, reportRefused, logins: createLogins({ users, signInAddresses, windows, log, reportRefused, now }) }
}

/** The stores that endpoints and their authentication are given. */
function storesOf({ storage, eventLog }: Base) {
  const { apps, usage, webhooks, subscriptions, streamConnections, replayJobs, resendJobs, parkedMessages, bearerTokens, requestTokens } =
    storage
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
    resendJobs,
    parkedMessages,
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
    appLoads: storage.appLoads,
  }
}

/** What endpoints and their authentication are given. A host has its own origins, and an advertising host its own accounts. */
export function assembleServices(base: Base, delivery: Delivery, work: WorkParts, limits: RateLimits) {
  const { settings, clock, operatorTokens, listening, development, wing } = base
  const { challenger, revalidate, replayRunner, resendRunner, publisher, resender, streams } = delivery
  const { outbox } = work.outbox
  const failureCounts = createFailureCounts(base, limits)
  const originOf = (host: PublicHost) =>
    createClientOriginOf({
      trusted: settings.trustProxy,
      origins: () => listening.clientOrigins(host),
      forwardedToo: wing?.realOrigins(host) ?? [],
    })
  const seal = createSeal(base.secrets)
  const readExtent = createSharedRead(clock, EXTENT_KEPT_MS, () => base.eventLog.extent(MAX_COUNTED))
  const machineNow = () => clock.now() - clock.offset()
  const general = {
    ...storesOf(base),
    dialect: base.dialect,
    retryPlanMs: settings.retryPlanMs,
    logger: base.logger,
    clock,
    challenger,
    revalidate,
    replayRunner,
    resendRunner,
    publisher,
    resender,
    outbox,
    streams,
    activity: base.activity,
    development,
    loopbackHttp: development,
    loopbackCallbacks: development,
    refusesWeakSecrets: !development,
    hideRestricted: !development,
    eventWarnings: settings.eventWarnings,
    operatorOf: createOperatorOf(operatorTokens),
    operatorSessions: createOperatorSessions({ seal, tokens: operatorTokens, machineNow, takesHere: development }),
    portals: createPortals({ seal, apps: base.storage.apps, nonces: base.storage.nonces, now: () => clock.now(), machineNow }),
    feed: base.feed,
    hold: base.hold,
    ...work.fleet.services,
    countAllRows: createSharedRead(clock, ROWS_KEPT_MS, () => base.storage.appLoads.countRows()),
    queues: createSharedRead(clock, QUEUES_KEPT_MS, delivery.queues),
    processes: base.storage.processes,
    severalLogs: base.severalLogs,
    readRoom: () => Promise.all([base.readSizes(), readExtent()]),
    processCount: async () => Math.max(1, (await base.storage.livingWorkers()).length),
    usualEarlyAccess: usualEarlyAccess(base),
    ...failureCounts,
    refreshTokens: createRefreshTokens(createMac(base.secrets)),
    reportReused: createReusedReport(base.logger, base.metrics.requests.grantEndedByReuse),
    batchReader: createBatchReader(),
    mayCarryCard: createMayCarryCard({ records: base.storage.records }),
    ...work.media.services,
    ...createSeeding(base, delivery, work, failureCounts),
    ...createSigning(base, failureCounts),
    originOf: originOf('general'),
    adsHost: PRODUCTION,
    server: serverFacts(base),
  }
  return {
    general,
    advertising: { ...general, originOf: originOf('advertising') },
    sandbox: { ...general, originOf: originOf('sandbox'), adsHost: SANDBOX },
  }
}
export type Services = ReturnType<typeof assembleServices>
