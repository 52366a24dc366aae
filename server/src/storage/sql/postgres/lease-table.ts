import { SECOND_MS } from '../../../lib/time.ts'
import { LEASE_MS } from '../../work-lease.ts'

export const RENEW_EVERY_MS = 3 * SECOND_MS

const UNTIL = `clock_timestamp() + interval '${LEASE_MS} milliseconds'`
/** Also a lease that ends too far in the future: the server's clock was set back. */
const EXPIRED = `until not between clock_timestamp() and ${UNTIL}`

const NOW_MS = 'extract(epoch from clock_timestamp()) * 1000 as now_ms'

/** Statements on `worker_leases`, by worker number (`$1`). They use only the server's clock. */
export const leaseStatements = {
  renew: `insert into worker_leases as lease (worker, until) values ($1, ${UNTIL})
    on conflict (worker) do update set until = excluded.until
    returning ${NOW_MS}`,
  end: 'delete from worker_leases where worker = $1',
  others: `select worker, until::text, ${EXPIRED} as expired from worker_leases where worker <> $1`,
}

/** Releases the lease of a dead process with this number, and counts those of others. Asks for the time too. */
export const startLeases = (worker: number) =>
  [
    `delete from worker_leases where worker = ${worker}`,
    `select count(*) as others, ${NOW_MS} from worker_leases where worker <> ${worker}`,
  ] as const
