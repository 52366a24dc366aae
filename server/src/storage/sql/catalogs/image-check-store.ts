import { createHash } from 'node:crypto'
import { sql, type Transaction } from 'kysely'
import { HOUR_MS } from '../../../lib/time.ts'
import type { ImageChecks } from '../../catalogs.ts'
import type { Database } from '../schema.ts'
import { announce, type SqlDatabase, unannounced } from '../sql-database.ts'
import { createDueRows, endClaim } from './due-rows.ts'
import { isOneOf } from './product-rows.ts'

/** How long a result is used before the image is fetched again. */
const FRESH_MS = 24 * HOUR_MS
/** After this time without a request a result is deleted. */
const KEPT_MS = 7 * 24 * HOUR_MS
/** The most images that wait for their check, in all and of a catalog. */
const MAX_QUEUED = 10_000
const MAX_QUEUED_OF_CATALOG = 2000
/** So many images of a catalog are due at once, each further one so much later than the one before. */
const DUE_AT_ONCE = 100
const SPACING_MS = 100
/** How many old results one request deletes at most. */
const PURGED_AT_ONCE = 200

const hashOf = (url: string) => createHash('sha256').update(url).digest('hex')

async function purge(trx: Transaction<Database>, nowMs: number) {
  const old = trx
    .selectFrom('image_checks')
    .select('url_sha256')
    .where('due_at_ms', 'is', null)
    .where('checked_at_ms', '<', nowMs - KEPT_MS)
    .limit(PURGED_AT_ONCE)
  await trx.deleteFrom('image_checks').where('url_sha256', 'in', old).where('due_at_ms', 'is', null).execute()
}

async function countQueued(trx: Transaction<Database>, catalogId?: string): Promise<number> {
  const isCounted = catalogId === undefined ? sql`due_at_ms is not null` : sql`due_at_ms is not null and requested_by = ${catalogId}`
  const queued = sql`select 1 as one from image_checks where ${isCounted} limit ${MAX_QUEUED}`
  const { rows } = await sql<{ count: number }>`select count(*) as count from (${queued}) as queued`.execute(trx)
  return rows[0]!.count
}

export function createImageChecks(database: SqlDatabase, worker: number): ImageChecks {
  const { db, unannounced: writable, flavour, inTransaction } = database
  const due = createDueRows(database, 'image_checks', worker)

  /** The URLs that are not checked, or not within a day, and do not wait for it. */
  const staleOf = async (urls: readonly string[], nowMs: number): Promise<string[]> => {
    const known = db.selectFrom('image_checks').select(['url', 'due_at_ms', 'checked_at_ms'])
    const rows = await known.where(isOneOf(flavour, 'url_sha256', urls.map(hashOf))).execute()
    const isFresh = new Set(rows.filter((row) => row.due_at_ms !== null || row.checked_at_ms! > nowMs - FRESH_MS).map(({ url }) => url))
    return [...new Set(urls)].filter((url) => !isFresh.has(url))
  }

  return {
    ...due,
    async request(catalogId, urls, nowMs) {
      const stale = urls.length === 0 ? [] : await staleOf(urls, nowMs)
      if (stale.length === 0) return
      await inTransaction(async (trx) => {
        await purge(trx, nowMs)
        const queued = await countQueued(trx, catalogId)
        const room = Math.min(MAX_QUEUED - (await countQueued(trx)), MAX_QUEUED_OF_CATALOG - queued)
        const dueAtMs = (place: number) => nowMs + Math.max(0, queued + place + 1 - DUE_AT_ONCE) * SPACING_MS
        // In one order, so that two requests do not wait for each other.
        const rows = stale
          .slice(0, Math.max(0, room))
          .map((url, place) => ({ url_sha256: hashOf(url), url, due_at_ms: dueAtMs(place), requested_by: catalogId }))
          .sort((one, other) => (one.url_sha256 < other.url_sha256 ? -1 : 1))
        if (rows.length === 0) return unannounced(undefined)
        await trx
          .insertInto('image_checks')
          .values(rows)
          .onConflict((conflict) =>
            conflict
              .column('url_sha256')
              .doUpdateSet((it) => ({ due_at_ms: it.ref('excluded.due_at_ms'), requested_by: catalogId }))
              .where(sql<boolean>`image_checks.due_at_ms is null and image_checks.checked_at_ms <= ${nowMs - FRESH_MS}`),
          )
          .execute()
        return announce(undefined, { kind: 'due', queue: 'image_checks' })
      })
    },
    async problems(urls) {
      if (urls.length === 0) return new Map()
      const found = db.selectFrom('image_checks').select(['url', 'problem']).where('problem', 'is not', null)
      const rows = await found.where(isOneOf(flavour, 'url_sha256', urls.map(hashOf))).execute()
      return new Map(rows.map(({ url, problem }) => [url, problem!]))
    },
    urlOf: async ({ id }) => (await db.selectFrom('image_checks').select('url').where('url_sha256', '=', id).executeTakeFirst())?.url,
    async checked(claim, problem, nowMs) {
      await endClaim(writable, 'image_checks', claim, worker, { due_at_ms: null, problem, checked_at_ms: nowMs } as { due_at_ms: null })
    },
  }
}
