/** One of the event logs, as operators see it. */
export interface LogStatus {
  log: number
  place: string
  /** How many slots are appended to it. */
  slots: number
  /** How many slots were moved away, of which it may still have events. */
  leaving: number
  /** Since when this process cannot use it; undefined while it can. */
  awaySinceMs: number | undefined
}

/** What it has: counted up to a limit. Undefined while it is away. */
export interface LogContent {
  events: number
  oldestMs: number | undefined
}

/** Why slots are not moved. */
export type MoveRefusal = 'unknown' | 'away' | 'there' | 'only' | 'changed'

/** The event logs of a state on PostgreSQL, where there are several. */
export interface SeveralLogs {
  /** By number. Asks nothing. */
  status(): LogStatus[]
  /** What a log has, counted up to a limit. */
  content(log: number, limit: number): Promise<LogContent | undefined>
  /** Gives a log as many slots as the others have. Returns how many were moved. */
  add(log: number): Promise<number | MoveRefusal>
  /** Takes all slots from a log. Its events stay until they have left the retention. Returns how many were moved. */
  drain(log: number): Promise<number | MoveRefusal>
  /** The same for a log that is lost for good: nobody asks it for its events any more. Refused as `there` while this process can use it. */
  abandon(log: number): Promise<number | MoveRefusal>
}
