import { readFile } from 'node:fs/promises'
import type { Logger } from 'pino'
import { createClientOriginOf, namesOf } from './access/client-origin.ts'
import { createLogins } from './access/logins.ts'
import { createExplanations } from './access/oauth1/explain/explanations.ts'
import { tellRefusals } from './access/oauth1/tell-refusals.ts'
import { createRateLimiter, readRateLimits, sayLimit } from './access/rate-limits.ts'
import { areas, generalAreaOf } from './api/areas.ts'
import { dialects } from './api/declare/dialect.ts'
import type { Endpoint } from './api/declare/endpoint.ts'
import { fallbacksOf } from './api/http/fallbacks.ts'
import { healthPages } from './api/http/health-pages.ts'
import { createHost, type Host } from './api/http/http.ts'
import { docsPages, jsonPage } from './api/http/pages.ts'
import { createReadiness } from './api/http/readiness.ts'
import type { Route } from './api/http/route.ts'
import { openApi } from './api/openapi.ts'
import { routesOf, type ServeOptions } from './api/serve.ts'
import { createChallenger } from './delivery/challenge/challenger.ts'
import { createDirectory } from './delivery/directory.ts'
import { createDispatcher } from './delivery/dispatcher.ts'
import { createOnGone } from './delivery/gone.ts'
import { createHourlyRound } from './delivery/hourly-round.ts'
import { createPublisher } from './delivery/publish.ts'
import { createReplayRunner } from './delivery/replay.ts'
import { createRetention } from './delivery/retention.ts'
import { createRevalidate } from './delivery/revalidate.ts'
import { createSender } from './delivery/send/sender.ts'
import { createPost } from './delivery/signed-request.ts'
import { PRODUCTION, SANDBOX } from './endpoints/ads/accounts/hosts.ts'
import {
  adsEndpoints,
  developmentEndpoints,
  developmentPages,
  generalEndpoints,
  operatorEndpoints,
  recordTypes,
} from './endpoints/index.ts'
import { earlyAccess } from './endpoints/operator/apps/app-settings.ts'
import { createCallAudit } from './endpoints/operator/audit-calls.ts'
import { CLOCK_OFFSET } from './endpoints/operator/move-clock.ts'
import { loadSeed } from './endpoints/operator/seed/load-seed.ts'
import { sayDifferences } from './endpoints/operator/seed/say-differences.ts'
import type { SeedDocument } from './endpoints/operator/seed/seed-document.ts'
import type { Clock } from './lib/clock.ts'
import { constantTimeMatcher } from './lib/crypto.ts'
import { createIds } from './lib/ids.ts'
import { createSeal } from './lib/seal.ts'
import type { Settings } from './settings.ts'
import { openDatabase } from './storage/open-database.ts'
import { reencrypt } from './storage/reencrypt.ts'

/** What `assemble` is given besides the settings: secrets that stand, a seed that was read, and the outside world. */
export interface Parts {
  settings: Settings
  secrets: readonly string[]
  operatorToken: string | undefined
  seed: SeedDocument | undefined
  clock: Clock
  logger: Logger
  /** Sees the body of every success before it is serialized. */
  inspect?: ServeOptions<never>['inspect']
}

/** The origins it serves. */
export interface Origins {
  base_url: string
  ads_base_url: string
  ads_sandbox_base_url: string
  operator_url: string
}

export interface Postern {
  /** The number of this process among those that share the database. */
  worker: number
  /** Listens, takes over what a former process left, and answers once it can serve. */
  start(): Promise<Origins>
  /** Stops accepting and finishes what is in flight. */
  stop(): Promise<void>
}

/** Joins the parts. Wiring, no logic. Rejects when the database cannot be opened. */
export async function assemble({ settings, secrets, operatorToken, seed, clock, logger, inspect }: Parts): Promise<Postern> {
  const development = settings.profile === 'development'
  const { storage, eventLog, close } = await openDatabase({
    url: settings.databaseUrl,
    recordTypes: recordTypes,
    acceptedLoss: settings.acceptLogLoss,
    clock,
    seal: createSeal(secrets),
    logger,
  })
  const { webhooks, apps, subscriptions, replayJobs, changes, worker } = storage
  const movedMs = development ? await storage.metadata.get(CLOCK_OFFSET) : undefined
  if (movedMs !== undefined) clock.setOffset(Number(movedMs))

  const dialect = dialects[settings.dialect]
  const ids = createIds(clock, worker)
  const now = () => clock.now()
  const limits = await readRateLimits(settings.rateLimits)
  const signatureHeader = dialect.out('x-service-webhooks-signature')
  const listeners: { address: string; port: number }[] = []
  const sender = createSender({
    clock,
    allow: settings.callbackAllow,
    refuse: () => listeners,
    ca: settings.callbackCa && (await readFile(settings.callbackCa, 'utf8')),
    resolver: settings.callbackResolvers,
  })
  const challenger = createChallenger({ sender, clock, headerName: signatureHeader, hideRestricted: !development })
  const directory = createDirectory({ webhooks, apps, changes, clock, logger })
  const post = createPost({ sender, timeoutMs: settings.callbackTimeoutMs, signatureHeader })
  const revalidate = createRevalidate(webhooks, apps, challenger, clock, logger)
  const onGone = createOnGone(webhooks, revalidate, logger)
  const dispatcher = createDispatcher({ log: eventLog, clock, directory, post, retryPlanMs: settings.retryPlanMs, logger, onGone })
  const livingWorkers = () => storage.livingWorkers()
  const replayRunner = createReplayRunner({
    jobs: replayJobs,
    webhooks,
    changes,
    log: eventLog,
    dispatcher,
    directory,
    post,
    clock,
    logger,
    worker,
    livingWorkers,
    lease: storage.lease,
  })
  const round = createHourlyRound(webhooks, changes, revalidate, clock, logger)
  const retention = createRetention(eventLog, settings.retentionMs, clock, logger)
  const publisher = createPublisher(subscriptions, eventLog, dialect.anything, retention.wake)

  const seedServices = {
    storage,
    ids,
    now,
    loopbackCallbacks: development,
    earlyAccess: development ? [...earlyAccess] : [],
  }
  const loadDocument = (document: SeedDocument) => loadSeed(document, seedServices)
  const backToSeed = async () => {
    dispatcher.clear()
    await eventLog.wipe()
    await storage.wipe()
    clock.setOffset(0)
    if (seed) await loadDocument(seed)
  }

  const origins: Origins = { base_url: '', ads_base_url: '', ads_sandbox_base_url: '', operator_url: '' }
  let clientOrigins: readonly string[] = settings.baseUrls ?? []
  let adsOrigins: readonly string[] = settings.adsBaseUrls ?? []
  let sandboxOrigins: readonly string[] = settings.adsSandboxBaseUrls ?? []
  const originOf = (origins: () => readonly string[]) => createClientOriginOf({ trusted: settings.trustProxy, origins })
  const explanations = createExplanations(now)
  const refused = tellRefusals({ explanations: development ? explanations : undefined, origin: () => origins.base_url, logger })
  const services = {
    ...{
      apps,
      webhooks,
      subscriptions,
      replayJobs,
      bearerTokens: storage.bearerTokens,
      requestTokens: storage.requestTokens,
      userTokens: storage.userTokens,
      sessions: storage.sessions,
      nonces: storage.nonces,
      users: storage.users,
      metadata: storage.metadata,
      audit: storage.audit,
      records: storage.records,
      accountMembers: storage.accountMembers,
      accountHistory: storage.accountHistory,
      eventLog,
    },
    ...{ clock, now, ids, challenger, revalidate, replayRunner, publisher, loopbackCallbacks: development },
    matchesOperatorToken: operatorToken === undefined ? undefined : constantTimeMatcher(operatorToken),
    ...{ seed: loadDocument, backToSeed },
    ...{
      originOf: originOf(() => clientOrigins),
      adsHost: PRODUCTION,
      requireHttps: !development,
      logins: createLogins(storage.users, storage.rateWindows, now),
      refused,
      explanations,
    },
  }
  const generalMap = [...generalEndpoints, ...(development ? developmentPages : [])]
  const operatorMap = [...operatorEndpoints, ...(development ? developmentEndpoints : [])]
  const problemOptions = {
    get problemBaseUrl() {
      return settings.problemBaseUrl ?? `${origins.base_url}/2/problems`
    },
  }
  const answered = createCallAudit({ audit: storage.audit, now, operatorToken, logger })
  const onAds = { ...services, originOf: originOf(() => adsOrigins) }
  const onSandbox = { ...services, originOf: originOf(() => sandboxOrigins), adsHost: SANDBOX }
  const serving = (endpoints: ServeOptions<typeof services>['endpoints'], given = services, onSandboxAlone: typeof adsEndpoints = []) =>
    routesOf({
      endpoints,
      onSandboxAlone,
      services: given,
      dialect,
      problemOptions,
      countCall: createRateLimiter(limits, storage.rateWindows, clock),
      log: logger,
      inspect,
      answered,
    })

  let phase: 'starting' | 'stopping' | undefined = 'starting'
  const fallbacks = fallbacksOf(problemOptions, generalAreaOf)
  const adsFallbacks = fallbacksOf(problemOptions, () => areas.ads)
  /** The listener that stays until the end, to tell that the process is stopping. */
  let last: Host | undefined
  const whenReady = (route: Route, { notReady }: typeof fallbacks, isLast: () => boolean): Route => ({
    ...route,
    respond: async (request) => (phase === 'starting' || (phase && isLast()) ? notReady(route.path) : route.respond(request)),
  })
  const readiness = createReadiness({
    phase: () => phase,
    checks: { state: () => storage.ping(), event_log: () => eventLog.probe() },
    clock,
    logger,
  })
  const host = (routes: Route[], saying = fallbacks, area?: typeof areas.ads): Host => {
    const served = routes.map((route) => whenReady(route, saying, () => last === made))
    const made = createHost([...healthPages(readiness, area), ...served], saying, logger)
    return made
  }

  const operatorApart = settings.operatorPort !== undefined
  const shown = [...generalMap, ...adsEndpoints, ...(operatorApart ? [] : operatorMap)] as unknown as readonly Endpoint[]
  const describe = () => openApi(shown, dialect, origins, sayLimit(limits))
  const general = host([
    ...serving(operatorApart ? generalMap : [...generalMap, ...operatorMap]),
    jsonPage('/openapi.json', describe),
    ...docsPages('Postern'),
  ])
  const advertising = host(
    serving(
      adsEndpoints.filter(({ sandboxOnly }) => !sandboxOnly),
      onAds,
      adsEndpoints.filter(({ sandboxOnly }) => sandboxOnly),
    ),
    adsFallbacks,
    areas.ads,
  )
  const sandbox = host(serving(adsEndpoints, onSandbox), adsFallbacks, areas.ads)
  const operator = operatorApart ? host(serving(operatorMap)) : undefined

  const listen = async (listener: Host, port: number, address: string, configured: readonly string[] = []) => {
    const actual = await listener.listen(port, address)
    listeners.push({ address, port: actual })
    return configured[0] ?? `http://${address.includes(':') ? `[${address}]` : address}:${actual}`
  }

  let sealing: Promise<void> | undefined
  const start = async () => {
    const differences = seed && sayDifferences(await loadDocument(seed))
    if (differences) logger.warn(differences)
    origins.base_url = await listen(general, settings.port, settings.host, settings.baseUrls)
    clientOrigins = settings.baseUrls ?? namesOf(origins.base_url)
    origins.ads_base_url = await listen(advertising, settings.adsPort, settings.host, settings.adsBaseUrls)
    origins.ads_sandbox_base_url = await listen(sandbox, settings.adsSandboxPort, settings.host, settings.adsSandboxBaseUrls)
    adsOrigins = settings.adsBaseUrls ?? namesOf(origins.ads_base_url)
    sandboxOrigins = settings.adsSandboxBaseUrls ?? namesOf(origins.ads_sandbox_base_url)
    origins.operator_url = operator ? await listen(operator, settings.operatorPort!, settings.operatorHost) : origins.base_url
    dispatcher.start()
    await replayRunner.wake()
    await round.start()
    if (phase === 'stopping') return origins
    retention.wake()
    phase = undefined
    sealing = reencrypt(storage, secrets, logger)
    return origins
  }

  const stop = async () => {
    phase = 'stopping'
    last = operator ?? general
    await Promise.all([general, advertising, sandbox].map((listener) => listener !== last && listener.close()))
    replayRunner.stop()
    retention.stop()
    await round.stop()
    await dispatcher.stop()
    await sealing
    await last.close()
    await sender.close()
    await close().catch((error) => logger.error({ err: error }, 'the database was not closed in order'))
  }

  return { worker, start, stop }
}
