import { type Role, roleNames } from '../storage/roles.ts'

interface Duty {
  /** As the documentation prints it. */
  what: string
  roles: readonly Role[]
}

/** What processes do, and in which roles. Whoever assembles a process asks this table; the documentation is printed from it. */
export const duties = {
  probes: { what: '`/livez`, `/readyz`, `/healthz` and `/metrics` on the operator port', roles: roleNames },
  publicHosts: {
    what: 'The public hosts: the general API, sign-in, the reference, media and advertising; publishing: matching, and the append that 202 waits for',
    roles: ['api'],
  },
  operator: { what: 'The operator API, its feed and the console; the seed of the start', roles: ['api'] },
  challenges: { what: 'Challenges that a call waits for: registration, revalidation, the start of a replay', roles: ['api'] },
  streams: { what: '`GET /2/activity/stream` on the general host', roles: ['stream'] },
  sending: {
    what: 'Lanes, attempts, retries, jobs of replays and resends, hourly challenges and those after a 410; taking over what a dead process held',
    roles: ['delivery'],
  },
  upkeep: {
    what: 'Trimming the event log, and the hourly sweep of audiences',
    roles: ['delivery'],
  },
  backgroundWork: {
    what: 'Scheduled posts, processing of uploads, posters (`POSTERN_FFMPEG`), product sets, feeds and images of catalogs',
    roles: ['delivery'],
  },
  broker: {
    what: 'Taking events from a broker (`POSTERN_EVENTS_FROM`): matching, and the append that the acknowledgement waits for',
    roles: ['delivery'],
  },
  outbox: { what: 'Events of actions that their process has not published: its own, and those of a dead one', roles: ['api', 'delivery'] },
} as const satisfies Record<string, Duty>

/** Whether a process with these roles does it. */
export const does = (roles: readonly Role[], duty: keyof typeof duties): boolean =>
  (duties[duty].roles as readonly Role[]).some((role) => roles.includes(role))

export const hasAllRoles = (roles: readonly Role[]): boolean => roleNames.every((role) => roles.includes(role))

/** The roles of a process as a sentence names them: `role api`, `roles api and delivery`. */
export const nameRoles = (roles: readonly Role[]): string => `${roles.length === 1 ? 'role' : 'roles'} ${roles.join(' and ')}`
