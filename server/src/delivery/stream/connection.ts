import { type Chunk, chunkOfText, type Outlet } from '../../api/declare/endless-answer.ts'
import type { Timer } from '../../lib/clock.ts'
import { sequenceAt } from '../../lib/ids.ts'
import { checkedTransitions } from '../../lib/transitions.ts'
import type { StreamEntry } from '../../storage/event-log.ts'
import { type Lines, linesOf } from './lines.ts'

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
function lastLine(reason: Disconnect, problemBaseUrl: string): Chunk {
  const { type, detail } = disconnects[reason]
  const error = { title: NAME, disconnect_type: type, detail, type: `${problemBaseUrl}/${NAME}` }
  return chunkOfText(`${JSON.stringify({ errors: [error] })}\r\n`)
}

/** A client that would leave more bytes in memory is not written to: it reads the log from where it is, as fast as it can. */
const MOST_WAITING_BYTES = 1 << 20

/** Events that are handed over while a page is being read. Of more events or bytes, only the first sequence number is kept. */
const MOST_HANDED = 1000
const MOST_HANDED_BYTES = 256 << 10

/**
 * catching up  pages are read from the log; what is handed over is in a later page
 * live         what is handed over is written
 * ending       the last line is written, or will be once the connection does not count any more
 * closed       the client has it, or has left
 */
type ConnectionState = 'catching up' | 'live' | 'ending' | 'closed'

const transition = checkedTransitions<ConnectionState>('a connection to a stream', {
  'catching up': ['live', 'ending', 'closed'],
  live: ['catching up', 'ending', 'closed'],
  ending: ['closed'],
  closed: [],
})

/** One connection to the stream of an app. */
export interface Connection {
  id: string
  appId: string
  outlet: Outlet
  problemBaseUrl: string
  state: ConnectionState
  /** Every event with a sequence number up to this was written, or is handed over. */
  position: number
  /** Only events with a sequence number below this are written. */
  before: number
  /** Set while a page is being read: what was handed over since it began, and the first of those for which there was no room. */
  handed: { entries: StreamEntry[]; bytes: number; droppedFrom: number } | undefined
  /** Whether it catches up because it did not read fast enough. */
  hasFallenBehind: boolean
  /** The next two are for the keep-alive: what was sent at the last visit, and for how many visits nothing was although bytes waited. */
  sentBytes: number
  stalledVisits: number
  /** Whether the client may still be connected: answers why not. Rejects if that cannot be said now. */
  check: () => Promise<Disconnect | undefined>
  /** Ends a recovery whose end has not come yet. */
  recovery: Timer | undefined
  /** Since when a recovery waits for events before its end that cannot be read. */
  awaitedSinceMs: number | undefined
  /** Resolves a wait for the client to read. */
  wake: (() => void) | undefined
}

/** Who wants to connect, and to which events. */
export interface StreamRequest {
  appId: string
  /** Events from this date on; undefined for those from now on. */
  fromMs: number | undefined
  /** Ends once all events before this date were sent; undefined to go on. */
  toMs: number | undefined
  check: Connection['check']
}

export const createConnection = (
  id: string,
  { appId, fromMs, toMs, check }: StreamRequest,
  where: Pick<Connection, 'outlet' | 'problemBaseUrl'>,
  nowMs: number,
): Connection => ({
  id,
  appId,
  check,
  ...where,
  state: fromMs === undefined ? 'live' : 'catching up',
  position: sequenceAt(fromMs ?? nowMs) - 1,
  before: toMs === undefined ? Number.MAX_SAFE_INTEGER : sequenceAt(toMs),
  handed: undefined,
  hasFallenBehind: false,
  sentBytes: 0,
  stalledVisits: 0,
  recovery: undefined,
  awaitedSinceMs: undefined,
  wake: undefined,
})

export function changeState(connection: Connection, to: ConnectionState) {
  connection.state = transition(connection.state, to)
}

export const isOpen = ({ state }: Connection) => state === 'live' || state === 'catching up'

export const write = ({ outlet }: Connection, chunk: Chunk) => outlet.write(chunk)

/** Lowers the position, so that what comes after it is read from the log. An event may be written twice then. */
export const goBackTo = (connection: Connection, sequence: number) => {
  connection.position = Math.min(connection.position, sequence - 1)
}

function fallBehind(connection: Connection, entries: readonly StreamEntry[]) {
  // What came before was handed over, also where that is long ago.
  connection.position = entries.reduce((least, { sequence }) => Math.min(least, sequence), Number.MAX_SAFE_INTEGER) - 1
  connection.hasFallenBehind = true
  changeState(connection, 'catching up')
}

/** From now on what is handed over is kept, because the page that is being read may not have it. */
export function beginPage(connection: Connection): NonNullable<Connection['handed']> {
  connection.handed = { entries: [], bytes: 0, droppedFrom: Number.MAX_SAFE_INTEGER }
  return connection.handed
}

/** Keeps what is handed over while a page is being read: the page may not have it. */
function keep(handed: NonNullable<Connection['handed']>, entries: readonly StreamEntry[]) {
  for (const entry of entries) {
    if (handed.entries.length < MOST_HANDED && handed.bytes + entry.content.length <= MOST_HANDED_BYTES) {
      handed.entries.push(entry)
      handed.bytes += entry.content.length
    } else handed.droppedFrom = Math.min(handed.droppedFrom, entry.sequence)
  }
}

/**
 * Hands events over to a connection, after they were committed, with their lines. Returns true if the connection has to catch up from now
 * on: of one commit there may be more than memory has room for, too.
 */
export function hand(connection: Connection, entries: readonly StreamEntry[], lines: Lines): boolean {
  if (connection.state === 'catching up') {
    if (connection.handed) keep(connection.handed, entries)
    // A page that is read from now on has them, unless they are older than it begins.
    else for (const { sequence } of entries) goBackTo(connection, sequence)
    return false
  }
  if (connection.state !== 'live') return false
  if (connection.outlet.waitingBytes() + lines.bytes > MOST_WAITING_BYTES) {
    fallBehind(connection, entries)
    return true
  }
  writeEntries(connection, entries, lines.chunk)
  return false
}

/** Writes events, but none that the connection does not want. */
export function writeEntries(connection: Connection, entries: readonly StreamEntry[], chunk = () => linesOf(entries)) {
  const wanted = entries.filter(({ sequence }) => sequence < connection.before)
  if (wanted.length > 0) write(connection, wanted.length === entries.length ? chunk() : linesOf(wanted))
  for (const { sequence } of entries) connection.position = Math.max(connection.position, sequence)
}

/** Writes the last line. */
export const writeLastLine = (connection: Connection, reason: Disconnect) =>
  connection.outlet.end(lastLine(reason, connection.problemBaseUrl))
