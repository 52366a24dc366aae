/** A connection to the stream of an app. */
export interface StreamConnection {
  id: string
  appId: string
  createdAtMs: number
}

/** For so long after an app was last seen using its stream, events are kept for it. */
export const STREAM_USE_MS = 25 * 60 * 60_000

/** A connection with the number of the process that has it. */
export type ListedConnection = StreamConnection & { worker: number }

export interface ConnectionQuery {
  /** Of all apps if undefined. */
  appId: string | undefined
  /** Those with a larger id; null from the first on. */
  after: string | null
  limit: number
}

/** Connections to streams in all processes. Those of a dead or frozen process do not count. */
export interface StreamConnections {
  /** Adds a connection, unless the app has `limit` of them already (`limit`) or does not exist (`no-app`). */
  open(connection: StreamConnection, limit: number): Promise<'opened' | 'limit' | 'no-app'>
  /** Connections by ascending id. */
  list(query: ConnectionQuery): Promise<ListedConnection[]>
  /** Removes connections of this process. */
  close(ids: readonly string[]): Promise<void>
  /** Notes that these apps are using their streams. To be called hourly for each app with a connection. */
  noteUse(appIds: readonly string[], nowMs: number): Promise<void>
}
