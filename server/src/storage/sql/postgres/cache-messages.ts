import { escapeLiteral } from 'pg'

/** The channel of registrations. */
export const REGISTRATIONS = 'postern_caches'

/** The channel of what the changes of a process are acknowledged with. */
export const acknowledgementsOf = (process: string) => `postern_acknowledged_${process}`

/** What processes tell of their registrations. */
export interface Registration {
  /** This registration believes its caches from now on. */
  registered?: string
  /** These registrations believe nothing any more. */
  left?: string[]
  /** The process of this registration must stop believing its caches, and register again. */
  distrusted?: string
}

export interface Acknowledged {
  /** The registration that acknowledges. */
  by: string
  /** The changes of the process whose channel it is. */
  numbers: number[]
}

export const registrationText = (registration: Registration) => JSON.stringify(registration)

/** The members that are lists. */
const LISTS: readonly string[] = ['left', 'numbers'] satisfies (keyof Registration | keyof Acknowledged)[]

/** Reads a message. Whoever may connect to the database can send anything: what is no message of ours says nothing. */
export function readMessage<Message>(text: string): Partial<Message> {
  try {
    const message: object = JSON.parse(text)
    const isOurs = Object.entries(message).every(([name, value]) => Array.isArray(value) === LISTS.includes(name))
    return isOurs ? message : {}
  } catch {
    return {}
  }
}

/** Sends a message. `$1` is the channel. */
export const NOTIFY = 'select pg_notify($1, $2)'

/** The same, if it need not survive the server. */
export const NOTIFY_UNSYNCED = `select set_config('synchronous_commit', 'off', true), pg_notify($1, $2)`

/** The channel of the operators' feeds. */
export const FEED_CHANNEL = 'postern_feed'

/** The channel on which processes ask each other how they do. */
export const REPORT_CHANNEL = 'postern_reports'

/** Sends several messages (`$2`) in one commit that need not survive the server. */
export const NOTIFY_ALL_UNSYNCED = `select set_config('synchronous_commit', 'off', true), pg_notify($1, message) from unnest($2::text[]) message`

/** Removes registrations (`$1`), and tells of it (`$2`). */
export const LEAVE = `with gone as (delete from caching_processes where id = any($1::text[]))
  select pg_notify('${REGISTRATIONS}', $2)`

/**
 * Adds a registration in the place of a former one, tells of it and reads the others. Whoever registers later is heard: the connection listens
 * already.
 */
export const registering = (id: string, left: readonly string[]): string => `
  delete from caching_processes where id = any(array[${left.map(escapeLiteral).join()}]::text[]);
  insert into caching_processes (id) values (${escapeLiteral(id)});
  select pg_notify('${REGISTRATIONS}', ${escapeLiteral(registrationText({ registered: id, left: [...left] }))});
  select id from caching_processes where id <> ${escapeLiteral(id)}`
