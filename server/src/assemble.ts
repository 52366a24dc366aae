import { readRateLimits } from './access/rate-limits.ts'
import { dialects } from './api/declare/dialect.ts'
import { loadEndpoints } from './api/declare/map.ts'
import { agreeOnSettings } from './assemble/agree-on-settings.ts'
import { assembleBroker } from './assemble/broker.ts'
import { createReadSizes } from './assemble/database-state.ts'
import { assembleDelivery } from './assemble/delivery.ts'
import { createDrain, type Drain } from './assemble/drain.ts'
import { assembleFleet } from './assemble/fleet.ts'
import { assembleHosts } from './assemble/hosts.ts'
import { createListening, type Origins } from './assemble/listening.ts'
import { assembleMedia } from './assemble/media.ts'
import { assembleMetrics } from './assemble/metrics.ts'
import { assembleOutbox } from './assemble/outbox.ts'
import type { Base, Parts } from './assemble/parts.ts'
import { assembleServices } from './assemble/services.ts'
import { endpointsOf } from './assemble/serving.ts'
import { createStartSeed } from './assemble/start-seed.ts'
import { createUnfinished, stopParts } from './assemble/stop-parts.ts'
import { createHold } from './delivery/hold.ts'
import { createOperatorFeed } from './delivery/operator-feed/feed.ts'
import { recordTypes } from './endpoints/index.ts'
import type { SeedDocument } from './endpoints/operator/seed/seed-document.ts'
import { noActivity } from './lib/activity.ts'
import { createIds } from './lib/ids.ts'
import { createSeal } from './lib/seal.ts'
import { createAppLoad } from './metrics/app-load.ts'
import { followHour } from './metrics/follow-hour.ts'
import { createLastHour } from './metrics/last-hour.ts'
import { createMetrics } from './metrics/metrics.ts'
import { does } from './settings/roles.ts'
import { openDatabase } from './storage/open-database.ts'
import { reencrypt } from './storage/reencrypt.ts'

export type { Origins } from './assemble/listening.ts'

/** It was stopped before it was ready. */
export class StoppedError extends Error {
  constructor() {
    super('stopped before it was ready')
  }
}

export interface Postern extends Drain {
  /** The number of this process among those that share the database. */
  worker: number
  /** Listens, takes over what a former process left, and serves. Rejects with `StoppedError` when it is stopped before. */
  start(): Promise<Origins>
  /** Once it is ready: compares the seed with a database that has had it, and adds what is missing. */
  loadSeedAgain(): void
  /** Loads another seed. */
  seed(document: SeedDocument): Promise<void>
  /** Goes back to the seed of the start. False when work was still under way after a while. In development alone. */
  reset(): Promise<boolean>
  /** Stops accepting and finishes what is in flight. Of deliveries, and of what is done in the background, nothing more is begun. */
  stop(): Promise<void>
  /** What the stop still waits for, and how many deliveries are in flight. */
  unfinished(): { parts: string[]; deliveries: number }
  /** Where it listens for this machine, whatever its public addresses. */
  boundAddresses(): { url: string; operator_url: string }
  /** What to say of a clock that has been moved, as sentences; undefined when it shows the real time. */
  clockNotice(): string | undefined
}

const openBase = async (parts: Parts): Promise<Base & { stopCounting: () => void; closeDatabase: () => Promise<void> }> => {
  const { settings, secrets, clock, logger } = parts
  const development = settings.profile === 'development'
  // The one way into the wing: production never loads a module of it.
  const wing = development ? await import('./development/wing.ts') : undefined
  const activity = wing?.createActivity(clock) ?? noActivity
  const { databaseUrl: url, acceptLogLoss: acceptedLoss } = settings
  const declared = [...recordTypes, ...(parts.more?.resources ?? [])]
  const { storage, eventLog, connectionWaits, severalLogs, close } = await openDatabase({
    url,
    recordTypes: declared,
    acceptedLoss,
    clock,
    seal: createSeal(secrets),
    logger,
    unheld: parts.unheld,
    roles: settings.roles,
    handsOver: !does(settings.roles, 'sending'),
    sweeps: does(settings.roles, 'upkeep'),
    logUrls: settings.logUrls,
    ...(wing && { track: activity.track }),
  })
  await agreeOnSettings(parts, storage).catch(async (error) => {
    await close()
    throw error
  })
  const counted = createMetrics()
  eventLog.onCommit(counted.deliveries.committed)
  eventLog.onTakeOver(counted.takeovers.tookOver)
  const dialect = dialects[settings.dialect]
  const now = () => clock.now()
  const base = {
    ...parts,
    storage,
    eventLog,
    connectionWaits,
    severalLogs,
    readSizes: createReadSizes(storage, clock),
    dialect,
    now,
    activity,
    ids: createIds(clock, storage.worker),
    feed: createOperatorFeed(clock, storage.feedChannel),
    listening: createListening(settings, parts.unheld),
    appLoad: createAppLoad(now),
    hold: createHold(storage.heldSince, storage.metadata, clock, logger),
    telemetry: parts.telemetry?.begin({ worker: storage.worker, clock, logger }),
  }
  const opened = await wing?.openWing(base)
  const lastHour = createLastHour(counted, now)
  const metrics = opened?.sampleFirst(counted, lastHour.sampleEnded) ?? counted
  // In development the clock is moved, and `sampleFirst` takes the samples.
  const endHour = opened ? () => {} : followHour(lastHour, clock)
  const stopCounting = () => {
    endHour()
    counted.eventLoop.stop()
  }
  return { ...base, metrics, lastHour, stopCounting, closeDatabase: close, development, wing: opened }
}

const loadCatalogWork = async (base: Base) =>
  does(base.settings.roles, 'backgroundWork')
    ? (await import('./assemble/catalog-work.ts')).assembleCatalogWork(base)
    : { start() {}, stop: async () => {} }

/** Joins the parts. Rejects when the database cannot be opened. */
export async function assemble(parts: Parts): Promise<Postern> {
  const base = await openBase(parts)
  const { settings, secrets, logger, storage, listening, wing, stopCounting, closeDatabase } = base
  const delivery = await assembleDelivery(base)
  const [catalogWork, broker] = await Promise.all([loadCatalogWork(base), assembleBroker(base, delivery)])
  const fleet = assembleFleet(base, delivery, broker)
  const outbox = assembleOutbox(base, delivery)
  const media = assembleMedia(base)
  const { all, served } = endpointsOf(base)
  const limits = await readRateLimits(served.length === 0 ? 'on' : settings.rateLimits, () => loadEndpoints(all))
  const services = assembleServices(base, delivery, { media, outbox, fleet }, limits)
  const hosts = assembleHosts(base, services, limits, assembleMetrics(base, { ...delivery, ...fleet, broker }, served, limits), broker)
  const startSeed = createStartSeed(base, services.general.seed)
  let sealing: Promise<void> | undefined

  const unlessStopping = () => {
    if (hosts.isStopping()) throw new StoppedError()
  }
  /** Until the hosts listen: what it opens can be closed only when it has ended. */
  let preparing: Promise<void> | undefined
  const prepare = async () => {
    unlessStopping()
    await startSeed.load()
    unlessStopping()
    await wing?.start()
    await hosts.listen()
  }

  const start = async () => {
    preparing = prepare()
    await preparing
    // What has been stopped meanwhile must not start.
    unlessStopping()
    const delivering = delivery.start()
    // Together with what delivery asks the database.
    for (const work of [catalogWork, media, outbox, fleet, broker]) work?.start()
    await delivering.catch((error) => {
      unlessStopping()
      throw error
    })
    unlessStopping()
    delivery.trim()
    hosts.open()
    sealing = reencrypt(storage, secrets, logger)
    return listening.origins
  }

  const unfinished = createUnfinished()
  const { until } = unfinished

  const endStreams = () => Promise.all([base.feed.stop(), delivery.streams.stop()])

  const stop = async () => {
    hosts.shut()
    wing?.endWaiting()
    await until('start', preparing?.catch(() => {}) ?? Promise.resolve())
    await stopParts({ hosts, endStreams, delivery, catalogWork, media, broker, outbox }, unfinished)
    await wing?.stop()
    await Promise.all([sealing && until('reencryption', sealing), until('seed', startSeed.settled()), fleet.stop()])
    await until('requests', hosts.close())
    await media.close()
    await services.general.failureLog.flush()
    await Promise.all([delivery.close(), base.telemetry?.stop()])
    await services.general.batchReader.close()
    stopCounting()
    await until('database', closeDatabase()).catch((error) => logger.error({ err: error }, 'error while closing the database'))
  }

  return {
    worker: storage.worker,
    start,
    loadSeedAgain: startSeed.loadAgain,
    seed: async (document) => void (await services.general.seed(document)),
    reset: () => services.general.backToSeed(),
    ...createDrain(settings.drainMs, hosts, endStreams),
    stop,
    unfinished: () => ({ parts: unfinished.names(), deliveries: delivery.dispatcher.backlog().inFlight }),
    clockNotice: () => wing?.clockNotice(),
    boundAddresses: listening.boundAddresses,
  }
}
