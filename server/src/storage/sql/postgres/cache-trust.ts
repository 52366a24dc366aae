import { randomUUID } from 'node:crypto'
import type { Client, QueryResult } from 'pg'
import { type Clock, realTimer, type Timer } from '../../../lib/clock.ts'
import { SECOND_MS } from '../../../lib/time.ts'
import { queryInTurn, type RunQuery } from '../../postgres/query-in-turn.ts'
import type { ReconnectingClient } from '../../postgres/reconnecting-client.ts'
import type { Acknowledgements } from '../announcer.ts'
import {
  type Acknowledged,
  acknowledgementsOf,
  LEAVE,
  NOTIFY,
  NOTIFY_UNSYNCED,
  REGISTRATIONS,
  type Registration,
  readMessage,
  registering,
  registrationText,
} from './cache-messages.ts'
import { createCachingPeers, DISTRUST_AFTER_MS, TRUST_MS } from './caching-peers.ts'

/** The maximum of changes in one message: a notification has at most 8,000 bytes. */
const ACKNOWLEDGED_AT_ONCE = 500

/**
 * Acknowledges the changes of other processes: all that arrive while a message is under way with the next one. If a message cannot be sent the
 * connection is lost, and the others wait until the trust of this process has run out.
 */
function createAcknowledger(send: RunQuery, own: () => string): (by: string, number: number) => void {
  const heard = new Map<string, number[]>()
  let isSending = false

  const sendAll = async () => {
    isSending = true
    while (heard.size > 0)
      for (const [by, numbers] of heard) {
        const message: Acknowledged = { by: own(), numbers: numbers.splice(0, ACKNOWLEDGED_AT_ONCE) }
        if (numbers.length === 0) heard.delete(by)
        await send(NOTIFY_UNSYNCED, [acknowledgementsOf(by), JSON.stringify(message)])
      }
  }

  return (by, number) => {
    const numbers = heard.get(by) ?? []
    numbers.push(number)
    heard.set(by, numbers)
    if (isSending) return
    sendAll()
      .catch(() => heard.clear())
      .finally(() => {
        isSending = false
      })
  }
}

/** While the caches are used, a heartbeat is sent this often. */
const BEAT_EVERY_MS = 300

/** After a registration that failed. */
const RETRY_MS = SECOND_MS

/** Whether this process may believe its caches, and whether the others have acknowledged its changes. */
export interface CacheTrust extends Acknowledgements {
  /** The channels that this process listens to. */
  channels: readonly string[]
  /** Handles a message of one of the channels. */
  notified(payload: string, channel: string): void
  /** Called before a new connection listens. It takes the place of the former one, whose messages may have been missed. */
  reset(): void
  /** Registers this process again. Called last, when all else of the new connection is ready. */
  prepare(client: Client): Promise<void>
  /** Registers this process. Call it once the tables exist. */
  start(connection: ReconnectingClient): Promise<void>
  /** Called on the last connection: this process believes nothing any more. */
  leave(client: Client): Promise<void>
}

/** Removes registrations whose processes do not answer: first it tells them, and then waits until their trust has run out. */
function createRemovals(send: RunQuery) {
  /** The peers that are being removed, and the timers of those that have been told. */
  const removals = new Map<string, Timer | undefined>()

  const remove = (peer: string) =>
    void send(LEAVE, [[peer], registrationText({ left: [peer] })])
      .catch(() => {})
      .finally(() => removals.delete(peer))

  const begin = async (peer: string) => {
    removals.set(peer, undefined)
    try {
      await send(NOTIFY, [REGISTRATIONS, registrationText({ distrusted: peer })])
      removals.set(
        peer,
        realTimer(DISTRUST_AFTER_MS, () => remove(peer)),
      )
    } catch {
      removals.delete(peer)
    }
  }

  return {
    /** If it fails, the next change that is not acknowledged begins it again. */
    begin(peers: readonly string[]) {
      for (const peer of peers) if (!removals.has(peer)) void begin(peer)
    },
    cancel() {
      for (const timer of removals.values()) timer?.cancel()
    },
  }
}

/**
 * The trust of a process in its caches; decision 004 says why it is sound.
 *
 *   unregistered → registered: its row is committed, and the others are notified with it.
 *   registered → unregistered: another process distrusts it, or the connection is lost. It registers again, under a new id.
 *
 * A registered process may believe its caches for `TRUST_MS` from the sending of an answered heartbeat.
 */
export function createCacheTrust(clock: Clock): CacheTrust {
  const process = randomUUID()
  let connection: ReconnectingClient | undefined
  /** The id of the registration. Others may know it before its statement is answered. */
  let own: string | undefined
  /** From when on a heartbeat proves something (monotonic); never while unregistered. */
  let registeredMs = Number.POSITIVE_INFINITY

  const send: RunQuery = (text, values) =>
    connection ? connection.query(text, values) : Promise.reject(new Error('the connection is closed'))

  const removals = createRemovals(send)
  const peers = createCachingPeers(removals.begin)
  const acknowledge = createAcknowledger(send, () => own!)

  const register = async (query: RunQuery) => {
    const left = own === undefined ? [] : [own]
    const id = randomUUID()
    own = id
    registeredMs = Number.POSITIVE_INFINITY
    const others = ((await query(registering(id, left))) as unknown as QueryResult<{ id: string }>[]).at(-1)!
    peers.add(others.rows.map((other) => other.id))
    peers.complete()
  }

  /** Until it succeeds the database is asked each time. A new connection registers by itself. */
  const registerAgain = () =>
    register(send).catch(() => {
      const id = own
      clock.after(RETRY_MS, () => {
        if (connection?.isConnected() && own === id && registeredMs === Number.POSITIVE_INFINITY) void registerAgain()
      })
    })

  const heardRegistration = ({ registered, left = [], distrusted }: Registration) => {
    // Its own message proves that this process hears what is committed: behind a pooler it would not.
    if (registered === own) registeredMs = clock.monotonic()
    else if (registered !== undefined) peers.add([registered])
    peers.remove(left)
    if (own !== undefined && [...left, distrusted].includes(own)) void registerAgain()
  }

  return {
    process,
    channels: [REGISTRATIONS, acknowledgementsOf(process)],
    begin: peers.begin,
    heard(by, number) {
      if (by === process) peers.heardOwn(number)
      else if (own !== undefined) acknowledge(by, number)
    },
    notified(payload, channel) {
      if (channel === REGISTRATIONS) return heardRegistration(readMessage(payload))
      const { by = '', numbers = [] } = readMessage<Acknowledged>(payload)
      peers.heardAcknowledged(by, numbers)
    },
    reset() {
      peers.reset()
      registeredMs = Number.POSITIVE_INFINITY
    },
    async prepare(client) {
      if (!connection) return
      await register(queryInTurn(client))
    },
    async start(opened) {
      connection = opened
      await register(send)
    },
    holds() {
      if (!connection) return false
      connection.probeIfOlderThan(BEAT_EVERY_MS)
      return connection.isProven(registeredMs, TRUST_MS)
    },
    async leave(client) {
      connection = undefined
      removals.cancel()
      if (own !== undefined) await queryInTurn(client)(LEAVE, [[own], registrationText({ left: [own] })])
    },
  }
}
