import type { Pool } from 'pg'
import { FORMER_RELEASE, releaseOf, VERSION } from '../../../lib/version.ts'
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

/** The sessions that hold worker numbers. Behind a pooler they may have other names. */
const SESSIONS = `
  select objid::int as worker, application_name as name, extract(epoch from backend_start)::float8 * 1000 as since,
    extract(epoch from state_change)::float8 * 1000 as heard
  from pg_locks left join pg_stat_activity using (pid)
  where locktype = 'advisory' and granted and classid = ${LOCK_CLASS} and objsubid = 2
    and pg_locks.database = (select oid from pg_database where datname = current_database())
  order by 1`

interface SessionRow {
  worker: number
  name: string | null
  since: number | null
  heard: number | null
}

export async function sharingProcesses(pool: Pool, isDead: (worker: number) => boolean): Promise<SharingProcess[]> {
  const { rows } = await pool.query<SessionRow>(SESSIONS)
  return rows.map(({ worker, name, since, heard }) => ({
    worker,
    sessionSinceMs: since,
    heardMs: heard,
    version: NAME.exec(name ?? '')?.[1] ?? null,
    roles: rolesOfSession(name),
    isFrozen: isDead(worker),
  }))
}
