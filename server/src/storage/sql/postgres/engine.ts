import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely'
import type { Pool, PoolClient, QueryResult } from 'pg'
import type { Clock } from '../../../lib/clock.ts'
import type { Copied } from '../../files/table-copies.ts'
import type { Outage } from '../../outage.ts'
import { checkWrites } from '../../postgres/connection.ts'
import type { ConnectionWaits } from '../../postgres/connection-waits.ts'
import { placeOf } from '../../postgres/place.ts'
import { assertFewWait } from '../../postgres/pool.ts'
import { openPool, type PoolName } from '../../postgres/pools.ts'
import { shareConnections } from '../../postgres/shared-connections.ts'
import { dropFormer, dropTables, inTransaction, restoreTables, saveTables } from '../../postgres/table-copies.ts'
import type { Role } from '../../roles.ts'
import type { Snapshots } from '../../snapshots.ts'
import type { StorageLog } from '../../storage-log.ts'
import { DatabaseAway, doubtCommit, isOutdatedPlan } from '../../unavailable.ts'
import { type Announcer, CHANNEL, createNotifyingAnnouncer, messageOf } from '../announcer.ts'
import { batchStores } from '../caches/batched-stores.ts'
import { cacheWhileTrusted } from '../caches/cached-while-trusted.ts'
import type { Engine } from '../engine.ts'
import { postgresFlavour } from '../flavour.ts'
import { openPostgresMemberships } from '../memberships/postgres/open-postgres-memberships.ts'
import { createPreparedQuery, createRowQuery } from '../prepared-query.ts'
import { forgetPlans, preparedStatements } from '../prepared-statements.ts'
import { createTableRateWindows } from '../rate-windows/table-rate-windows.ts'
import type { Database } from '../schema.ts'
import { createNonceStore, insertNonces } from '../stores/nonce-store.ts'
import { createCacheTrust } from './cache-trust.ts'
import { oldestTransactionMs, readDatabaseSizes } from './database-sizes.ts'
import { createHourParts } from './hour-parts.ts'
import { createLease, type Lease } from './lease.ts'
import { startLeases } from './lease-table.ts'
import { createPeerWatch, type PeerWatch } from './peer-watch.ts'
import { openPostgresSession, type PostgresSession } from './session.ts'
import { namePlace, sharingProcesses } from './sharing-processes.ts'
import { livingWorkers } from './worker-number.ts'

const READS = /^\s*select\b/i

/** A statement that is a transaction of its own may have been done when its answer is lost, unless it only reads. */
const doubtWrites = (text: string, error: unknown) => {
  if (!READS.test(text)) doubtCommit(error)
}

/**
 * A pool for Kysely whose connections plan statements that they run often once. One that was planned for other columns than its tables have
 * now is planned anew where each is a transaction of its own (`ofSingles`). In the middle of a transaction it ends that.
 */
export function preparedPool(pool: Pool, ofSingles = false): PostgresPool {
  const prepared = async (client: PoolClient): Promise<PostgresPoolClient> => {
    const statements = await preparedStatements(client)
    const ask = (text: string, values: readonly unknown[], name: string) =>
      client.query({ name, text, values: [...values] }).catch((error) => {
        if (ofSingles) doubtWrites(text, error)
        throw error
      })
    const query = (text: string, values: readonly unknown[]) =>
      ask(text, values, statements.nameOf(text)).catch((error) => {
        if (!isOutdatedPlan(error)) throw error
        forgetPlans()
        if (ofSingles) return ask(text, values, statements.nameOf(text))
        throw error
      })
    return {
      query: query as unknown as PostgresPoolClient['query'],
      release: (destroy) => client.release(destroy),
    }
  }

  return {
    options: {},
    async connect() {
      assertFewWait(pool)
      const client = await pool.connect()
      return prepared(client).catch((error) => {
        client.release(true)
        throw error
      })
    },
    end: () => pool.end(),
  }
}

/**
 * Copies of the state on PostgreSQL: schemas named after this worker. The first copy drops what a former process with this worker number has
 * left.
 */
function createPoolSnapshots(pool: Pool, worker: number, copied: Copied): Snapshots {
  const nameOf = (name: string) => `${worker}_state_${name}`
  let cleaned: Promise<void> | undefined
  return {
    async save(name) {
      cleaned ??= inTransaction(pool, (query) => dropFormer(query, `${worker}_`))
      await cleaned
      return inTransaction(pool, (query) => saveTables(query, nameOf(name), copied))
    },
    restore: (name) => inTransaction(pool, (query) => restoreTables(query, nameOf(name), copied)),
    drop: async (name) => void (await inTransaction(pool, (query) => dropTables(query, nameOf(name)))),
  }
}

const NUMBER_LOST = 'The database session that holds the worker number of this process was lost. Nothing was changed; retry in a moment.'

function unusable(url: string, cause: Error & { code?: string }): Error {
  const reason = cause.message || cause.code
  return new Error(`PostgreSQL at ${placeOf(url)} cannot be used: ${reason}. Check POSTERN_DATABASE_URL, and that the server runs.`, {
    cause,
  })
}

const assertHeld = ({ isHeld }: PostgresSession) => {
  if (!isHeld()) throw new DatabaseAway(NUMBER_LOST)
}

/** What a process is told about its worker number, and how it hears of the others. */
const workerOf = (session: PostgresSession) => ({
  worker: session.worker,
  logListener: session.logListener,
  feedChannel: session.feedChannel,
  reportChannel: session.reportChannel,
  workerSession: session.current,
  assertWorker() {
    assertHeld(session)
    return session.proven()?.catch((cause) => {
      throw new DatabaseAway(NUMBER_LOST, { cause })
    })
  },
})

/** Looks again at the other processes and their leases when they have changed. */
const watchPeers = (announcer: Announcer, watch: PeerWatch, lease: Lease, worker: number) =>
  announcer.listen((change) => {
    if (change.kind === 'arrival') watch.checkAgain()
    if (change.kind === 'everything') lease.watch()
    if (change.kind === 'lease' && change.worker !== worker) lease.watch(change.worker)
  })

/**
 * One process notices that another has ended. Where each does a part, those who do what that one did are told too: this one may do none of it.
 */
function tellOfDeparture(announcer: Announcer, pool: Pool, roles: readonly Role[] | undefined) {
  const departure = { kind: 'departure' } as const
  announcer.tell(departure)
  if (roles) pool.query('select pg_notify($1, $2)', [CHANNEL, messageOf(departure)]).catch(() => {})
}

/** Releases what a dead process with this worker number left. One query. */
async function release(pool: Pool, releases: readonly string[], worker: number, lease: Lease, clock: Clock): Promise<void> {
  const askedMs = clock.monotonic()
  const results = (await pool.query([...releases, ...startLeases(worker)].join('; '))) as unknown as QueryResult[]
  const [ended, others] = results.slice(-2)
  const { others: count, now_ms } = others!.rows[0]
  lease.told(Number(now_ms), askedMs)
  await lease.start(ended!.rowCount !== 0, count)
}

/** Ends together the pools that were opened one by one. */
function collectPools(openOne: (name: PoolName) => Pool) {
  const pools: Pool[] = []
  const open = (name: PoolName) => {
    const pool = openOne(name)
    pools.push(pool)
    return pool
  }
  return { open, endAll: () => Promise.all(pools.map((one) => one.end())) }
}

/** Nonces by statements whose commits do not wait for the disk. */
const openNonces = (unsynced: Pool, db: Kysely<Database>, clock: Clock) =>
  createNonceStore(insertNonces(createPreparedQuery(shareConnections(unsynced))), { unannounced: db, flavour: postgresFlavour }, clock)

export interface PostgresEngineOptions {
  url: string
  clock: Clock
  outage: Outage
  log?: StorageLog | undefined
  /** Its connections do not keep the process alive. */
  unheld?: boolean | undefined
  waits?: ConnectionWaits | undefined
  /** What this process does; all by default. */
  roles?: readonly Role[] | undefined
}

/** Opens a PostgreSQL database, which up to 64 processes can share. */
export async function openPostgresEngine({ url, clock, outage, log, unheld, waits, roles }: PostgresEngineOptions): Promise<Engine> {
  const trust = createCacheTrust(clock)
  const announcer = createNotifyingAnnouncer(trust, log)
  const session = await openPostgresSession({ url, clock, log, outage, trust, unheld, roles, hear: announcer.hear }).catch((cause) => {
    throw unusable(url, cause)
  })
  const { worker } = session
  const { open, endAll } = collectPools((name) => openPool(name, url, { outage, unheld, waits }).on('acquire', session.touch))
  const kyselyOver = (...parameters: Parameters<typeof preparedPool>) =>
    new Kysely<Database>({ dialect: new PostgresDialect({ pool: preparedPool(...parameters) }) })
  const pool = open('statements')
  const db = kyselyOver(pool, true)
  const unsyncedPool = open('unsynced')
  const unsynced = kyselyOver(unsyncedPool, true)
  const queries = shareConnections(open('queries'), session.touch)
  const preparedQuery = createPreparedQuery(queries)
  const about = { clock, outage, worker }
  const watch = createPeerWatch({
    ...about,
    url,
    unheld,
    cancel: (backend) => pool.query('select pg_cancel_backend($1)', [backend]),
    departed: () => tellOfDeparture(announcer, pool, roles),
  })
  const readRows = createRowQuery(queries)
  const memberships = openPostgresMemberships(url, readRows)
  const maintenance = open('maintenance')
  const leasePool = open('lease')
  const lease = createLease({
    ...about,
    pool: leasePool,
    log,
    assertHeld: () => assertHeld(session),
    begun: () => leasePool.query('select pg_notify($1, $2)', [CHANNEL, messageOf({ kind: 'lease', worker })]),
    expired: () => announcer.tell({ kind: 'departure' }),
    ended: () => announcer.tell({ kind: 'idle' }),
  })
  watchPeers(announcer, watch, lease, worker)
  if (session.peers.length > 0) watch.checkAgain()
  return {
    clock,
    db,
    transactions: kyselyOver(open('transactions')),
    maintenance: kyselyOver(maintenance),
    readRows,
    flavour: postgresFlavour,
    announcer,
    rateWindows: createTableRateWindows(db, preparedQuery),
    nonces: openNonces(unsyncedPool, db, clock),
    memberships,
    refine: (stores, seal) => cacheWhileTrusted(batchStores(stores, db, preparedQuery, seal, clock), announcer, clock, trust.holds),
    unsynced: (run) => run(unsynced),
    ...workerOf(session),
    hourParts: createHourParts(pool, unsyncedPool),
    async livingWorkers() {
      await session.settled()
      return (await livingWorkers(db)).filter((living) => !lease.isDead(living))
    },
    processes: () => sharingProcesses(pool, lease.isDead),
    peers: session.peers,
    sizes: () => readDatabaseSizes(pool),
    oldestTransactionMs: () => oldestTransactionMs(pool),
    lease,
    probe: () => checkWrites(pool, outage),
    snapshots: (copied) => createPoolSnapshots(maintenance, worker, copied),
    ready: (releases) => release(pool, [...releases, namePlace(worker)], worker, lease, clock).then(session.startCaching),
    async close() {
      for (const part of [memberships, watch, lease, session]) await part.close()
      await endAll()
    },
  }
}
