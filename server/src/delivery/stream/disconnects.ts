import { type Chunk, chunkOfText } from '../../api/declare/endless-answer.ts'

/** Why a connection to a stream is ended: what its last line says (§7). */
export const disconnects = {
  stopping: { type: 'OperationalDisconnect', detail: 'This server is stopping or was reset. Reconnect with backfill_minutes.' },
  revoked: { type: 'ForceDisconnect', detail: 'The bearer token of this connection is not valid any more.' },
  refused: { type: 'ClientApplicationStateDegraded', detail: 'The app is suspended, or not enrolled in the activity API any more.' },
  noSubscriptions: { type: 'InvalidRules', detail: 'The app has no subscription any more. Create one and reconnect.' },
  slow: { type: 'SlowReader', detail: 'The client does not read as fast as events come. Reconnect with backfill_minutes or start_time.' },
  recovered: { type: 'UpstreamOperationalDisconnect', detail: 'The recovery is complete: every event before end_time was sent.' },
  broken: { type: 'InternalError', detail: 'The events of this stream cannot be read. Reconnect with backfill_minutes or start_time.' },
} as const

export type Disconnect = keyof typeof disconnects

export type DisconnectType = (typeof disconnects)[Disconnect]['type']

const NAME = 'operational-disconnect'

/** The last line of a connection. */
export function lastLine(reason: Disconnect, problemBaseUrl: string): Chunk {
  const { type, detail } = disconnects[reason]
  const error = { title: NAME, disconnect_type: type, detail, type: `${problemBaseUrl}/${NAME}` }
  return chunkOfText(`${JSON.stringify({ errors: [error] })}\r\n`)
}
