import { hostname } from 'node:os'
import { escapeLiteral, type Pool } from 'pg'
import { FORMER_RELEASE, releaseOf, VERSION } from '../../../lib/version.ts'
import { processKey } from '../../metadata.ts'
import { isRole, type Role, roleNames } from '../../roles.ts'
import type { PeerRelease } from '../../schema-changes.ts'
import type { SharingProcess } from '../../sizes.ts'
import { LOCK_CLASS } from './worker-number.ts'

/**
 * What the session of a process calls itself: for processes of other releases, and for whoever looks at the sessions of the server. One with
 * a part of the roles says which.
 */
export const sessionName = (roles: readonly Role[] = roleNames) =>
  `postern ${VERSION} after ${FORMER_RELEASE}${roles.length === roleNames.length ? '' : ` as ${roles.join(',')}`}`

const NAME = /^postern (\S+)(?: after (\S+))?(?: as (\S+))?$/

/** The roles of the process with a session of this name. Null if it is not known: a pooler hides it. */
function rolesOfSession(name: string | null): Role[] | null {
  const [found, , , roles] = NAME.exec(name ?? '') ?? []
  if (found === undefined) return null
  return roles === undefined ? [...roleNames] : roles.split(',').filter(isRole)
}

/** The release of the process with a session of this name. One of version 0.2 does not tell, and a pooler may hide it. */
export function releaseOfSession(name: string | null): PeerRelease {
  const [, version = '0.2.0', former] = NAME.exec(name ?? '') ?? []
  return { version, release: releaseOf(version), former }
}

/** Says where this process runs, for those that list the processes while it is frozen. */
export const namePlace = (worker: number) =>
  `insert into metadata (name, value) values ('${processKey(worker)}', ${escapeLiteral(JSON.stringify({ host: hostname(), pid: process.pid }))})
    on conflict (name) do update set value = excluded.value`

/** The sessions that hold worker numbers. Behind a pooler they may have other names. */
const SESSIONS = `
  select objid::int as worker, application_name as name, extract(epoch from backend_start)::float8 * 1000 as since,
    extract(epoch from state_change)::float8 * 1000 as heard, metadata.value as place
  from pg_locks left join pg_stat_activity using (pid) left join metadata on metadata.name = '${processKey('')}' || objid::int
  where locktype = 'advisory' and granted and classid = ${LOCK_CLASS} and objsubid = 2
    and pg_locks.database = (select oid from pg_database where datname = current_database())
  order by 1`

interface SessionRow {
  worker: number
  name: string | null
  since: number | null
  heard: number | null
  place: string | null
}

/** A process of version 0.2 did not say, and another one with its number may have, before. */
const placeOf = ({ name, place }: SessionRow): Pick<SharingProcess, 'host' | 'pid'> =>
  place !== null && NAME.test(name ?? '') ? JSON.parse(place) : { host: null, pid: null }

export async function sharingProcesses(pool: Pool, isDead: (worker: number) => boolean): Promise<SharingProcess[]> {
  const { rows } = await pool.query<SessionRow>(SESSIONS)
  return rows.map((row) => ({
    worker: row.worker,
    sessionSinceMs: row.since,
    heardMs: row.heard,
    version: NAME.exec(row.name ?? '')?.[1] ?? null,
    roles: rolesOfSession(row.name),
    ...placeOf(row),
    isFrozen: isDead(row.worker),
  }))
}
