import type { Pool, PoolClient } from 'pg'
import type { Clock } from '../../../lib/clock.ts'
import { momentOf } from '../../../lib/ids.ts'
import { type Delivery, type DueRetries, RANGE_PAGE_BYTES } from '../../event-log.ts'
import { ofWebhook } from '../../postgres/planner-settings.ts'
import type { StorageLog } from '../../storage-log.ts'
import type { WorkLease } from '../../work-lease.ts'
import { MAX_ATTEMPTS, UNREADABLE } from '../ack.ts'
import type { DeliveryRow } from '../delivery-row.ts'
import { deliveryOf } from './delivery-of.ts'
import { alive, type Ownership, OwnershipLost } from './ownership.ts'
import { inTransaction, planKeysOnly } from './transaction.ts'

/** Picks at most $2 unowned rows for owner $1. Rows that another process is claiming are skipped, not waited for. */
const pick = (next: string) => `
  with ${alive('$1')} select sequence, webhook_id from log_open where (select fence from alive) = 1 and owner is null and ${next}
  limit $2 for update skip locked`

const waiting = pick('webhook_id = $3 and due_ms is null order by sequence')

const due = pick('due_ms <= $3 order by due_ms, sequence')

/** The webhooks with unowned rows that are waiting or retrying: one index step for each webhook, however many rows it has. */
const steps = (isDue: string, where = '') => `step as (
    (select webhook_id from log_open where owner is null and due_ms is ${isDue}${where} order by webhook_id limit 1)
    union all
    select (select o.webhook_id from log_open o where o.owner is null and o.due_ms is ${isDue} and o.webhook_id > step.webhook_id
      order by o.webhook_id limit 1) from step where step.webhook_id is not null
  )`

/** With as many retries of skipped webhooks before those of others, webhooks are looked at one by one. */
const LOOKED_AT = 1_000

/** The first retries, whether there are `enough` of them, and otherwise all webhooks. */
const firstRetries = (where: string, except: string, enough: string) => `looked as materialized (
    select sequence, webhook_id, due_ms, webhook_id <> all (${except}::text[]) as is_wanted from log_open
    where owner is null and ${where} order by due_ms, sequence limit ${LOOKED_AT}
  ), first as materialized (
    select count(*) < ${LOOKED_AT} or count(*) filter (where is_wanted) >= ${enough} as are_enough from looked
  ), ${steps('not null', ' and not (select are_enough from first)')}`

/** Like `due`, but without some webhooks. Rows are found first, and locked by their keys: more than are wanted, because other processes may have locked some. */
export const dueExcept = `
  with recursive ${alive('$1')}, ${firstRetries('due_ms <= $3', '$4', '$2')}, found as (
    select sequence, webhook_id, due_ms from looked where is_wanted and (select are_enough from first)
    union all
    select next.sequence, step.webhook_id, next.due_ms from step cross join lateral (
      select sequence, due_ms from log_open where ${ofWebhook('step.webhook_id')} and (webhook_id, due_ms) <= (step.webhook_id, $3)
        and owner is null and due_ms is not null
      order by webhook_id, due_ms, sequence limit 4 * $2
    ) next where step.webhook_id <> all ($4::text[])
    order by due_ms, sequence limit 4 * $2
  )
  select free.sequence, free.webhook_id from (select * from found order by due_ms, sequence) as found cross join lateral (
    select sequence, webhook_id from log_open where sequence = found.sequence and webhook_id = found.webhook_id and owner is null
    limit 1 for update skip locked
  ) free where (select fence from alive) = 1 limit $2`

/**
 * Claims the picked rows, up to the one whose content reaches `RANGE_PAGE_BYTES`, and reads them. `content` or `match` is null if the event or
 * the match is missing.
 */
export const claimStatement = `
  with picked as (
    select sequence, webhook_id, sum((select octet_length(e.content) from log_event e where e.sequence = p.sequence))
      over (order by place rows between unbounded preceding and 1 preceding) as earlier
    from unnest($2::bigint[], $3::text[]) with ordinality as p (sequence, webhook_id, place)
  ), claimed as (
    update log_open o set owner = $1 from picked k
    where o.sequence = k.sequence and o.webhook_id = k.webhook_id and coalesce(k.earlier, 0) < ${RANGE_PAGE_BYTES}
    returning o.sequence, o.webhook_id, o.due_ms, o.attempts
  )
  select c.sequence, e.event_uuid, e.event_type, c.webhook_id, e.targets ->> c.webhook_id as match, e.content, e.traceparent, c.attempts, c.due_ms
  from claimed c left join log_event e on e.sequence = c.sequence order by c.due_ms, c.sequence`

const markUnreadable = `
  with gone as (
    delete from log_open o using unnest($1::bigint[], $2::text[]) as u (sequence, webhook_id)
    where o.sequence = u.sequence and o.webhook_id = u.webhook_id returning o.sequence, o.webhook_id, o.attempts
  )
  insert into log_attempt (sequence, webhook_id, origin, n, at_ms, latency_ms, outcome, error)
  select sequence, webhook_id, '', least(attempts + 1::bigint, ${MAX_ATTEMPTS}), $3, 0, 'not_sent', '${UNREADABLE}' from gone
  on conflict do nothing`

const nextDue = 'select due_ms from log_open where owner is null and due_ms is not null order by due_ms limit 1'

export const nextDueExcept = `
  with recursive ${firstRetries('due_ms is not null', '$1', '1')}
  select due_ms from (
    select due_ms from looked where is_wanted
    union all
    select (select due_ms from log_open where ${ofWebhook('step.webhook_id')} and owner is null and due_ms is not null
      order by webhook_id, due_ms limit 1) from step where webhook_id <> all ($1::text[])
  ) next order by due_ms limit 1`

const dueRetries = `select count(*) as count, min(due_ms) as since from (
  select due_ms from log_open where owner is null and due_ms is not null and due_ms <= $1 order by due_ms limit $2) due`

const plannedRetries = `select count(*) as count from (
  select 1 from log_open where owner is null and due_ms is not null and due_ms > $1 and due_ms <= $2 limit $3) planned`

/** Waiting deliveries are looked at so far: their index is by webhook. */
const MOST_UNCLAIMED = 10_000

const unclaimed = `select min(sequence) as oldest
  from (select sequence from log_open where owner is null and due_ms is null limit ${MOST_UNCLAIMED}) waiting`

const waitingWebhooks = `with recursive ${steps('null')} select webhook_id from step where webhook_id is not null`

interface Parts {
  pool: Pool
  clock: Clock
  ownership: Ownership
  /** Receives the deliveries of a claim whose commit is in doubt. */
  inDoubt(deliveries: Delivery[]): void
  log: StorageLog | undefined
  /** Held while this process owns deliveries. */
  lease: WorkLease
}

/** A statement that picks rows. Its own parameters follow the owner and the limit. */
interface Pick {
  name: string
  text: string
  /** Read once the lease is renewed, and the time of the database known with it. */
  values(): unknown[]
}

type ClaimedRow = Omit<DeliveryRow<Buffer>, 'content' | 'match'> & { content: Buffer | null; match: string | null }

const isReadable = (row: ClaimedRow): row is DeliveryRow<Buffer> => row.content !== null && row.match !== null

/**
 * Claims unowned deliveries for this process, so that no two processes hold the same one. They are read before the claim is committed.
 * If it is unknown whether the commit happened, `inDoubt` receives the deliveries, so that they are released.
 */
export function createClaims({ pool, clock, ownership, inDoubt, log, lease }: Parts) {
  const deliveryHere = (row: DeliveryRow<Buffer>): Delivery => {
    const delivery = deliveryOf(row)
    return delivery.dueMs === undefined ? delivery : { ...delivery, dueMs: delivery.dueMs - lease.aheadMs() }
  }

  /** Records deliveries that can never be sent as not sent, so that they are not claimed again. */
  const drop = async (client: PoolClient, rows: readonly ClaimedRow[]) => {
    const keys = rows.map(({ sequence, webhook_id }) => ({ sequence, webhook_id }))
    log?.error({ count: keys.length, first: keys[0] }, `deliveries dropped: ${UNREADABLE}`)
    const values = [keys.map(({ sequence }) => sequence), keys.map(({ webhook_id }) => webhook_id), Math.floor(clock.now())]
    await client.query(markUnreadable, values)
  }

  const claimPicked = async (client: PoolClient, owner: number, { name, text, values }: Pick, limit: number): Promise<ClaimedRow[]> => {
    const picked = await ownership.guard(() => client.query({ name, text, values: [owner, limit, ...values()] }))
    const keys = [picked.rows.map(({ sequence }) => sequence), picked.rows.map(({ webhook_id }) => webhook_id)]
    await planKeysOnly(client)
    return (await client.query<ClaimedRow>({ name: 'log-claim', text: claimStatement, values: [owner, ...keys] })).rows
  }

  /** Claims the next readable deliveries: fewer than `limit` only if there are no more, or the page is large. */
  const page = async (client: PoolClient, owner: number, pick: Pick, limit: number): Promise<Delivery[]> => {
    const rows = await claimPicked(client, owner, pick, limit)
    const found = rows.filter(isReadable)
    if (found.length === rows.length) return found.map(deliveryHere)
    await drop(
      client,
      rows.filter((row) => !isReadable(row)),
    )
    return [...found.map(deliveryHere), ...(await page(client, owner, pick, limit - found.length))]
  }

  const claimed = async (pick: Pick, limit: number): Promise<Delivery[]> => {
    let found: Delivery[] = []
    let owner = 0
    await lease.begin(limit)
    try {
      await inTransaction(pool, async (client) => {
        owner = ownership.id()
        found = await page(client, owner, pick, limit)
      })
      ownership.assertStill(owner)
      return found
    } catch (error) {
      if (error instanceof OwnershipLost) found = []
      inDoubt(found)
      throw error
    } finally {
      lease.end(limit - found.length)
    }
  }
  return {
    waiting: (webhookId: string, limit: number) => claimed({ name: 'log-pick-waiting', text: waiting, values: () => [webhookId] }, limit),
    due(nowMs: number, limit: number, except: readonly string[]) {
      const values = () => [nowMs + lease.aheadMs()]
      if (except.length === 0) return claimed({ name: 'log-pick-due', text: due, values }, limit)
      return claimed({ name: 'log-pick-due-except', text: dueExcept, values: () => [...values(), except] }, limit)
    },
    async nextDueMs(except: readonly string[]): Promise<number | undefined> {
      const query =
        except.length === 0
          ? { name: 'log-next-due', text: nextDue }
          : { name: 'log-next-due-except', text: nextDueExcept, values: [except] }
      const { rows } = await pool.query(query)
      return rows[0] && rows[0].due_ms - lease.aheadMs()
    },
    async dueRetries(nowMs: number, limit: number): Promise<DueRetries> {
      const { rows } = await pool.query({ name: 'log-due-retries', text: dueRetries, values: [nowMs + lease.aheadMs(), limit] })
      const { count, since } = rows[0]
      return { count, sinceMs: since === null ? undefined : since - lease.aheadMs() }
    },
    async plannedRetries(fromMs: number, toMs: number, limit: number): Promise<number> {
      const { rows } = await pool.query({
        name: 'log-planned-retries',
        text: plannedRetries,
        values: [fromMs + lease.aheadMs(), toMs + lease.aheadMs(), limit],
      })
      return rows[0].count
    },
    async unclaimedSinceMs(): Promise<number | undefined> {
      const { oldest } = (await pool.query({ name: 'log-unclaimed', text: unclaimed })).rows[0]
      return oldest === null ? undefined : momentOf(oldest)
    },
    async waitingWebhooks(): Promise<string[]> {
      const { rows } = await pool.query(waitingWebhooks)
      return rows.map((row) => row.webhook_id)
    },
  }
}
export type Claims = ReturnType<typeof createClaims>
