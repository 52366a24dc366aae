import type { Selectable } from 'kysely'
import { HOUR_MS } from '../../../lib/time.ts'
import { type AuditEntry, type AuditLog, type FailedAttempts, type FieldChange, OTHERS } from '../../audit-log.ts'
import type { AuditLogTable } from '../schema.ts'
import type { SqlDatabase } from '../sql-database.ts'

const MAX_ENTRIES = 100_000

/** Addresses that are counted one by one in an hour. */
const MAX_ADDRESSES = 200
const FAILURES_KEPT_MS = 30 * 24 * HOUR_MS

const keyOf = ({ kind, address }: Pick<FailedAttempts, 'kind' | 'address'>) => `${kind} ${address}`

/** Those whose addresses are known or may still be added; the rest as others. Sorted, so that processes never wait in a circle. */
function named(failures: readonly FailedAttempts[], known: ReadonlySet<string>): FailedAttempts[] {
  const names = new Set(known)
  const counts = new Map<string, FailedAttempts>()
  for (const failure of failures) {
    if (names.size < MAX_ADDRESSES) names.add(keyOf(failure))
    const shown = names.has(keyOf(failure)) ? failure : { ...failure, address: OTHERS }
    counts.set(keyOf(shown), { ...shown, count: shown.count + (counts.get(keyOf(shown))?.count ?? 0) })
  }
  return [...counts].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, failure]) => failure)
}

const rowOf = ({ atMs, tokenName, appId, userId, changes, ...entry }: AuditEntry) => ({
  ...entry,
  at_ms: atMs,
  token_name: tokenName,
  app_id: appId,
  user_id: userId,
  changes: changes.length > 0 ? JSON.stringify(changes) : null,
})

const entryOf = ({ at_ms, token_name, app_id, user_id, changes, ...entry }: Selectable<AuditLogTable>) => ({
  ...entry,
  atMs: at_ms,
  tokenName: token_name,
  appId: app_id,
  userId: user_id,
  changes: changes === null ? [] : (JSON.parse(changes) as FieldChange[]),
})

export function createAuditLog({ db, unannounced, unsynced }: SqlDatabase): AuditLog {
  async function countInHour(hourMs: number, failures: readonly FailedAttempts[]) {
    const known = await db.selectFrom('failed_attempts').select(['kind', 'address']).where('hour_ms', '=', hourMs).execute()
    const values = named(failures, new Set(known.map(keyOf))).map(({ kind, address, count }) => ({ hour_ms: hourMs, kind, address, count }))
    await unsynced((own) =>
      own
        .insertInto('failed_attempts')
        .values(values)
        .onConflict((conflict) =>
          conflict
            .columns(['hour_ms', 'kind', 'address'])
            .doUpdateSet((row) => ({ count: row('failed_attempts.count', '+', row.ref('excluded.count')) })),
        )
        .execute(),
    )
  }

  return {
    async append(entry) {
      const { number } = await unannounced.insertInto('audit_log').values(rowOf(entry)).returning('number').executeTakeFirstOrThrow()
      if (number > MAX_ENTRIES) {
        await unannounced
          .deleteFrom('audit_log')
          .where('number', '<=', number - MAX_ENTRIES)
          .execute()
      }
    },
    async list(before, limit, { action, tokenName, target, fromMs, toMs } = {}) {
      const rows = await db
        .selectFrom('audit_log')
        .selectAll()
        .$if(before !== null, (query) => query.where('number', '<', before))
        .$if(action !== undefined, (query) => query.where('action', '=', action!))
        .$if(tokenName !== undefined, (query) => query.where('token_name', tokenName === null ? 'is' : '=', tokenName!))
        .$if(target !== undefined, (query) =>
          query.where((where) => where.or([where('app_id', '=', target!), where('user_id', '=', target!)])),
        )
        .$if(fromMs !== undefined, (query) => query.where('at_ms', '>=', fromMs!))
        .$if(toMs !== undefined, (query) => query.where('at_ms', '<', toMs!))
        .orderBy('number', 'desc')
        .limit(limit)
        .execute()
      return rows.map(entryOf)
    },
    async countFailures(failures, nowMs) {
      for (const [hourMs, ofHour] of Map.groupBy(failures, (failure) => failure.hourMs)) await countInHour(hourMs, ofHour)
      await unsynced((own) =>
        own
          .deleteFrom('failed_attempts')
          .where('hour_ms', '<', nowMs - FAILURES_KEPT_MS)
          .execute(),
      )
    },
    async listFailures(before, limit) {
      const rows = await db
        .selectFrom('failed_attempts')
        .selectAll()
        .$if(before !== null, (query) => query.where('number', '<', before))
        .orderBy('number', 'desc')
        .limit(limit)
        .execute()
      return rows.map(({ hour_ms, ...failure }) => ({ hourMs: hour_ms, ...failure }))
    },
  }
}
