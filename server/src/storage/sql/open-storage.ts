import { sql } from 'kysely'
import type { Clock } from '../../lib/clock.ts'
import type { Seal } from '../../lib/seal.ts'
import type { Content } from '../content.ts'
import { type MapError, mapErrors, type Track } from '../map-errors.ts'
import { sweepRegularly } from '../memberships/sweep-regularly.ts'
import { logMigrated, type Migrated, type Recorded } from '../migrate.ts'
import { createOutage, type Outage } from '../outage.ts'
import type { ConnectionWaits } from '../postgres/connection-waits.ts'
import { placeOf } from '../postgres/place.ts'
import type { RecordType } from '../records.ts'
import type { Role } from '../roles.ts'
import { assertAdjacent } from '../schema-changes.ts'
import type { Storage } from '../storage.ts'
import type { StorageLog } from '../storage-log.ts'
import { asUnavailable } from '../unavailable.ts'
import type { UserStore } from '../users.ts'
import { createCatalogs } from './catalogs/catalog-store.ts'
import { createDueRows, releaseClaims } from './catalogs/due-rows.ts'
import { createImageChecks } from './catalogs/image-check-store.ts'
import { createScheduledFeeds } from './catalogs/scheduled-feed-store.ts'
import { createContent } from './content/content-store.ts'
import { createPostRemoval, type PostRemoval } from './content/removed-posts.ts'
import type { Engine, RefinableStores } from './engine.ts'
import { createKeptAudiences } from './memberships/kept-audiences.ts'
import { migrateDatabase } from './migrate-database.ts'
import { createOutboxStore } from './outbox/outbox-store.ts'
import { type RecordedState, readRecorded } from './read-recorded.ts'
import { fingerprintOf } from './records/declared-record.ts'
import { createRecords } from './records/record-store.ts'
import { reencrypt } from './reencrypt.ts'
import { createRunExclusively } from './run-exclusively.ts'
import { proveSeal } from './sealing-proof.ts'
import { createSqlDatabase, type SqlDatabase } from './sql-database.ts'
import { openSqliteEngine } from './sqlite/engine.ts'
import { createStateSnapshots } from './state-snapshots.ts'
import { createAccountHistory } from './stores/account-history-store.ts'
import { createAppLoads } from './stores/app-load-store.ts'
import { createAppStore, createAppUsage } from './stores/app-store.ts'
import { createAuditLog } from './stores/audit-log-store.ts'
import { createBearerTokenStore } from './stores/bearer-token-store.ts'
import { createConsents } from './stores/consent-store.ts'
import { createLogMapStore, parseLogMap } from './stores/log-map-store.ts'
import { createAccountMembers } from './stores/member-store.ts'
import { createMetadata } from './stores/metadata-store.ts'
import { createOAuth2Grants } from './stores/oauth2-grant-store.ts'
import { createParkedMessageStore } from './stores/parked-message-store.ts'
import { createReplayJobStore, releaseReplayJobs } from './stores/replay-job-store.ts'
import { createRequestTokenStore } from './stores/request-token-store.ts'
import { createResendJobStore, releaseResendJobs } from './stores/resend-job-store.ts'
import { createRevocations } from './stores/revocation-store.ts'
import { createSessionStore, createSignInAddresses } from './stores/sign-in-stores.ts'
import { createStreamConnections, releaseStreamConnections } from './stores/stream-connection-store.ts'
import { createSubscriptionStore } from './stores/subscription-store.ts'
import { createUserStore } from './stores/user-store.ts'
import { createUserTokenStore } from './stores/user-token-store.ts'
import { createWebhookStore } from './stores/webhook-store.ts'
import { createWorldStore } from './stores/world-store.ts'
import { createUploads } from './uploads/upload-store.ts'
import { wipe } from './wipe.ts'

export interface StorageOptions {
  /** `sqlite:<path>`, `sqlite::memory:` or `postgres://…`. */
  url: string
  clock: Clock
  seal: Seal
  /** The declared record types, each with its own table. */
  recordTypes: readonly RecordType[]
  log?: StorageLog
  /** Maps an error of the database to one that callers know; `asUnavailable` by default. */
  mapError?: MapError
  outage?: Outage
  /** Told of each call of a port. */
  track?: Track
  /** Connections to PostgreSQL do not keep the process alive. */
  unheld?: boolean | undefined
  /** Counts the waits for connections to PostgreSQL. */
  waits?: ConnectionWaits | undefined
  /** The id of a lost write-ahead log of a SQLite file whose loss the operator accepts. */
  acceptedLoss?: string | undefined
  /** What this process does; all by default. Others are told. */
  roles?: readonly Role[] | undefined
  /** Sweeps memberships every hour; true by default. */
  sweeps?: boolean | undefined
}

type StoreParts = Pick<StorageOptions, 'clock' | 'seal' | 'recordTypes'>

/** Opens the database of the URL, without migrating it. The PostgreSQL modules are only loaded for PostgreSQL. */
export async function openEngine({
  url,
  clock,
  log,
  outage = createOutage(clock, log),
  unheld,
  waits,
  acceptedLoss,
  roles,
}: Omit<StorageOptions, 'seal' | 'mapError' | 'recordTypes'>): Promise<Engine> {
  if (url.startsWith('sqlite:')) return openSqliteEngine({ path: url.slice('sqlite:'.length), clock, log, acceptedLoss })
  if (/^postgres(ql)?:\/\//.test(url)) {
    const { openPostgresEngine } = await import('./postgres/engine.ts')
    return openPostgresEngine({ url, clock, outage, log, unheld, waits, roles })
  }
  throw new Error('POSTERN_DATABASE_URL must begin with sqlite: or postgres://')
}

/** A database as a log line names it. */
const nameOf = (url: string) => (url.startsWith('sqlite:') ? url.slice('sqlite:'.length) : placeOf(url))

/** Makes the tables. A database in memory takes over those of the last one of this process: making them is a good part of a start. */
async function makeTables(
  { maintenance, flavour, memoryTables, peers }: Engine,
  recordTypes: readonly RecordType[],
  recorded: Recorded | undefined,
): Promise<Migrated> {
  if (!memoryTables) return migrateDatabase(maintenance, flavour, { recordTypes, recorded, peers })
  const declaration = fingerprintOf(recordTypes)
  const copied = memoryTables.copy(declaration)
  if (copied) return copied
  const migrated = await migrateDatabase(maintenance, flavour, { recordTypes })
  memoryTables.keep(declaration, migrated)
  return migrated
}

/** Throws for the database of an event log that is not that of a state too: as a state it would be lost to its own. */
function assertNotLogAlone({ logIdentity, proof }: RecordedState, url: string) {
  if (logIdentity === undefined || proof !== undefined) return
  throw new Error(
    `POSTERN_DATABASE_URL names ${placeOf(url)}, which is an event log of another database: name that one, and this in POSTERN_LOG_URLS`,
  )
}

/**
 * Opens the storage and migrates its schema.
 * @throws if the database cannot be reached, is an event log alone, is used by a version that is more than one release away or was by one further ahead, or was
 * encrypted with another secret.
 */
export async function openStorage({
  url,
  clock,
  seal,
  recordTypes,
  log,
  mapError = asUnavailable,
  outage,
  track,
  unheld,
  waits,
  acceptedLoss,
  roles,
  sweeps = true,
}: StorageOptions): Promise<Storage> {
  const engine = await openEngine({ url, clock, log, outage, unheld, waits, acceptedLoss, roles })
  try {
    assertAdjacent(engine.peers)
    const before = await readRecorded(engine.db).catch(() => undefined)
    if (before) assertNotLogAlone(before, url)
    const migrated = await makeTables(engine, recordTypes, before)
    logMigrated(log, { what: 'database', place: nameOf(url) }, migrated)
    const recorded = before ?? (migrated.isNew ? undefined : await readRecorded(engine.db))
    // A first look that failed, for a moment or for want of a table, has told nothing.
    if (recorded && !before) assertNotLogAlone(recorded, url)
    await proveSeal(createMetadata(engine.db), seal, recorded?.proof)
    const { worker } = engine
    await engine.ready([releaseReplayJobs(worker), releaseResendJobs(worker), ...releaseClaims(worker), releaseStreamConnections(worker)])
    return await createStorage(engine, { clock, seal, mapError, recordTypes, log, track, recorded, sweeps })
  } catch (error) {
    await engine.close()
    throw error
  }
}

/** The stores that requests read, before the engine wraps them. */
export const createStores = (database: SqlDatabase, content: Content, { clock, seal, recordTypes }: StoreParts): RefinableStores => ({
  apps: createAppStore(database, seal),
  bearerTokens: createBearerTokenStore(database, seal, clock),
  requestTokens: createRequestTokenStore(database, seal),
  userTokens: createUserTokenStore(database, seal),
  oauth2Grants: createOAuth2Grants(database, seal),
  sessions: createSessionStore(database),
  users: createUserStore(database),
  webhooks: createWebhookStore(database, clock),
  subscriptions: createSubscriptionStore(database),
  consents: createConsents(database),
  accountMembers: createAccountMembers(database),
  records: createRecords(database, recordTypes),
  content,
})

/** The posts of a user who is removed leave likes and bookmarks. */
const withRemovedPosts = (users: UserStore, removal: PostRemoval): UserStore => ({
  ...users,
  async remove(id) {
    const isRemoved = await users.remove(id)
    if (isRemoved) await removal.begin()
    return isRemoved
  },
})

const createPing = (engine: Engine) => async () => {
  await engine.assertWorker()
  await sql`select count(*) from metadata where name = ''`.execute(engine.db)
  await engine.probe()
}

const workerOf = ({ worker, livingWorkers, processes, sizes, workerSession, assertWorker, ...engine }: Engine) => ({
  worker,
  logListener: engine.logListener,
  feedChannel: engine.feedChannel,
  reportChannel: engine.reportChannel,
  hourParts: engine.hourParts,
  livingWorkers,
  processes,
  sizes,
  oldestTransactionMs: engine.oldestTransactionMs,
  workerSession,
  assertWorker,
})

/** What the database said when it was opened. */
const asOpened = ({ peers }: Engine, recorded: RecordedState | undefined) => ({
  heldSince: recorded?.heldSince,
  sharedSettings: recorded?.sharedSettings,
  logMapAtStart: parseLogMap(recorded?.eventLogs),
  hasPeers: peers.length > 0,
})

type Parts = StoreParts & {
  mapError: MapError
  log: StorageLog | undefined
  track: Track | undefined
  recorded: RecordedState | undefined
  sweeps: boolean
}

async function createStorage(
  engine: Engine,
  { clock, seal, mapError, recordTypes, log, track, recorded, sweeps }: Parts,
): Promise<Storage> {
  const database = createSqlDatabase(engine)
  const mapped = <Store extends object>(store: Store): Store => mapErrors(store, mapError, { track })
  const removal = createPostRemoval(database, clock)
  const catalogs = createCatalogs(database, engine.worker)
  const memberships = mapped(engine.memberships)
  const sweeper = sweeps ? sweepRegularly(memberships, createKeptAudiences(database, recordTypes), clock, log) : undefined
  const content = createContent(database, removal, engine.worker)
  const refined = engine.refine(createStores(database, content, { clock, seal, recordTypes }), seal)
  let closing: Promise<void> | undefined
  const close = async () => {
    await sweeper?.stop()
    await removal.stop()
    await engine.close()
  }
  // What another process left. It is waited for, so that what is asked next needs no second connection.
  await removal.begin()
  return mapped({
    apps: mapped(refined.apps),
    usage: mapped(createAppUsage(database)),
    appLoads: mapped(createAppLoads(database)),
    bearerTokens: mapped(refined.bearerTokens),
    requestTokens: mapped(refined.requestTokens),
    userTokens: mapped(refined.userTokens),
    oauth2Grants: mapped(refined.oauth2Grants),
    revocations: mapped(createRevocations(database)),
    sessions: mapped(refined.sessions),
    signInAddresses: mapped(createSignInAddresses(database)),
    nonces: mapped(engine.nonces),
    users: mapped(withRemovedPosts(refined.users, removal)),
    webhooks: mapped(refined.webhooks),
    subscriptions: mapped(refined.subscriptions),
    streamConnections: mapped(createStreamConnections(database, engine.worker, engine.livingWorkers)),
    consents: mapped(refined.consents),
    replayJobs: mapped(createReplayJobStore(database)),
    resendJobs: mapped(createResendJobStore(database)),
    parkedMessages: mapped(createParkedMessageStore(database)),
    accountMembers: mapped(refined.accountMembers),
    accountHistory: mapped(createAccountHistory(database)),
    records: mapped(refined.records),
    content: mapped(refined.content),
    catalogs: mapped({ ...catalogs, dueSets: mapped(catalogs.dueSets), dueRemovals: mapped(catalogs.dueRemovals) }),
    scheduledFeeds: mapped(createScheduledFeeds(database, engine.worker)),
    imageChecks: mapped(createImageChecks(database, engine.worker)),
    uploads: mapped(createUploads(database, engine.worker)),
    dueScheduledPosts: mapped(createDueRows(database, 'scheduled_posts', engine.worker)),
    outbox: mapped(createOutboxStore(database, engine.worker)),
    logMap: mapped(createLogMapStore(database)),
    memberships,
    audit: mapped(createAuditLog(database)),
    metadata: mapped(createMetadata(engine.db, engine.unsynced)),
    ...asOpened(engine, recorded),
    rateWindows: mapped(engine.rateWindows),
    changes: { listen: engine.announcer.listen, hearsAll: engine.announcer.hearsAll },
    ...workerOf(engine),
    lease: mapped(engine.lease),
    runExclusively: createRunExclusively(engine, clock),
    repeatably: engine.repeatably ?? ((run) => run()),
    reencrypt: () => reencrypt(engine.maintenance, createMetadata(engine.maintenance), seal),
    ping: createPing(engine),
    async wipe() {
      await memberships.wipe()
      await wipe(database, recordTypes)
    },
    worlds: mapped(createWorldStore(database, recordTypes, memberships)),
    snapshots: mapped(createStateSnapshots(engine, database)),
    close: () => (closing ??= close()),
  })
}
