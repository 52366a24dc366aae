/** The key of the event log that belongs to the state: its id and newest event. */
export const EVENT_LOG = 'event_log'

/** The key of a restored copy that may send nothing yet: since when, as an ISO time. Empty once it is released. */
export const HELD_SINCE = 'held_since'

/** The key of which of several event logs has what, as JSON (`log-map.ts`). */
export const EVENT_LOGS = 'event_logs'

/** In the database of one of several event logs: the state that it belongs to, and which of its logs it is. */
export const LOG_IDENTITY = 'log_identity'

/** The key of what the processes on a database were started with, as JSON by the names of the variables. */
export const SHARED_SETTINGS = 'shared_settings'

/** The key of where the process with a worker number runs, as JSON: `{"host":"…","pid":1}`. */
export const processKey = (worker: number | string): string => `process_${worker}`

/** Persistent key-value settings of the database: the offset of the clock, the value that verifies the sealing secret, … */
export interface Metadata {
  get(name: string): Promise<string | undefined>
  set(name: string, value: string): Promise<void>
  /** Like `set`, without an fsync: after a power failure the former value may be back. */
  setUnsynced(name: string, value: string): Promise<void>
  /** Sets the value if there is none. Returns the stored value. */
  setIfAbsent(name: string, value: string): Promise<string>
}
