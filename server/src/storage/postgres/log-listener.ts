import type { ReconnectingClient } from './reconnecting-client.ts'

/** The channel of the event log. */
export const LOG_CHANNEL = 'postern_log'

/** What the event log hears of its channel. */
export interface LogHeard {
  notified(payload: string): void
  /** The connection was lost and is back: messages may have been missed. */
  restored(): void
}

/** The permanent connection of a process, as far as the event log listens on it. */
export interface LogListener extends Pick<ReconnectingClient, 'isConnected' | 'touch' | 'proven'> {
  /** Takes the place of the former listener. */
  listen(heard: LogHeard): void
}
