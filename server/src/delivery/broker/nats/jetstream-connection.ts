import { readFileSync } from 'node:fs'
import { type ConsumerInfo, type JetStreamManager, jetstreamManager } from '@nats-io/jetstream'
import {
  type ConnectionOptions,
  connect,
  createInbox,
  credsAuthenticator,
  type Msg,
  type NatsConnection,
  nanos,
} from '@nats-io/transport-node'
import { SECOND_MS } from '../../../lib/time.ts'
import type { SourceBacklog } from '../event-source.ts'
import type { NatsPlace } from './nats-place.ts'

const CONNECT_MS = 5 * SECOND_MS
/** Between two tries to reconnect. */
const RECONNECT_MS = 500
/** Without an answer to two pings in a row a connection is taken for dead. */
const PING_MS = 5 * SECOND_MS
const MOST_PINGS = 2

/** What a consumer that is made is like. A message that is not settled by then goes to another process. */
const ACK_WAIT_MS = 60 * SECOND_MS
const MAX_ACK_PENDING = 10_000
const FOR_EVER = -1

/** `JSConsumerNotFoundErr` of the server. */
const NO_CONSUMER = 10014

/** A connection, and what is known of the stream through it. */
interface Opened {
  connection: NatsConnection
  manager: JetStreamManager
  /** What the answers to pulls begin with. */
  inbox: string
  /** Names one life of the stream; undefined until the stream and its consumer are found to be right. */
  streamLife: string | undefined
}

/** Why the stream or its consumer cannot be used, as a sentence without a secret. */
class Unusable extends Error {}

function assertUsable({ config }: ConsumerInfo, { durable, stream, filterSubject, maxAckPending }: NatsPlace) {
  const here = `the consumer ${durable} of the stream ${stream}`
  const { deliver_subject, ack_policy, max_deliver = FOR_EVER, filter_subject, max_ack_pending } = config
  if (deliver_subject !== undefined) throw new Unusable(`${here} is a push consumer: it must be a pull consumer`)
  if (ack_policy !== 'explicit') throw new Unusable(`${here} has the ack policy ${ack_policy}: it must be explicit`)
  if (max_deliver > 0)
    throw new Unusable(`${here} has max_deliver ${max_deliver}: messages would be lost in an outage; it must be -1, which is no limit`)
  if (filterSubject !== undefined && filter_subject !== filterSubject)
    throw new Unusable(`${here} has the filter ${filter_subject ?? 'of all subjects'}, but POSTERN_EVENTS_FROM says ${filterSubject}`)
  if (maxAckPending !== undefined && max_ack_pending !== maxAckPending)
    throw new Unusable(`${here} has max_ack_pending ${max_ack_pending}, but POSTERN_EVENTS_FROM says ${maxAckPending}`)
}

/** The consumer of the place; made if there is none. */
async function consumerOf({ consumers }: JetStreamManager, place: NatsPlace): Promise<void> {
  const { stream, durable, filterSubject, deliverPolicy, maxAckPending = MAX_ACK_PENDING } = place
  const existing = await consumers.info(stream, durable).catch((error) => {
    if ((error as { code?: unknown }).code === NO_CONSUMER) return undefined
    throw error
  })
  const info =
    existing ??
    (await consumers.add(stream, {
      durable_name: durable,
      description: 'Postern takes events from here.',
      ack_policy: 'explicit',
      ack_wait: nanos(ACK_WAIT_MS),
      deliver_policy: deliverPolicy,
      max_ack_pending: maxAckPending,
      max_deliver: FOR_EVER,
      ...(filterSubject !== undefined && { filter_subject: filterSubject }),
    }))
  assertUsable(info, place)
}

function optionsOf({ servers, isEncrypted, login, caFile, certFile, keyFile }: NatsPlace): ConnectionOptions {
  const files = { ...(caFile && { caFile }), ...(certFile && { certFile }), ...(keyFile && { keyFile }) }
  const isTls = isEncrypted || Object.keys(files).length > 0
  return {
    servers,
    name: 'postern',
    timeout: CONNECT_MS,
    maxReconnectAttempts: -1,
    reconnectTimeWait: RECONNECT_MS,
    pingInterval: PING_MS,
    maxPingOut: MOST_PINGS,
    ignoreAuthErrorAbort: true,
    ...(isTls && { tls: files }),
    ...(login && ('credsFile' in login ? { authenticator: credsAuthenticator(() => readFileSync(login.credsFile)) } : login)),
  }
}

/** What a connection tells whoever pulls through it. */
interface Listener {
  heard(message: Msg, streamLife: string): void
  /** What is under way will not come. */
  lost(error: Error): void
}

/** A connection that is made when it is asked for, and again once it is closed; in between the client reconnects by itself. */
export function createJetStreamConnection(place: NatsPlace, { heard, lost }: Listener) {
  const { stream, durable } = place
  let opened: Opened | undefined

  const watch = async (connection: NatsConnection) => {
    for await (const status of connection.status()) {
      if (status.type === 'disconnect') lost(new Error('the connection was lost'))
      if (status.type === 'error') lost(status.error)
    }
  }

  const connected = async (): Promise<Opened> => {
    if (opened && !opened.connection.isClosed()) return opened
    const connection = await connect(optionsOf(place))
    const manager = await jetstreamManager(connection, { checkAPI: false })
    const found: Opened = { connection, manager, inbox: createInbox(), streamLife: undefined }
    connection.subscribe(`${found.inbox}.*`, {
      callback: (error, message) => (error ? lost(error) : heard(message, found.streamLife!)),
    })
    void watch(connection)
    opened = found
    return found
  }

  return {
    /** The connection, once the stream is there and its consumer is right. */
    async open() {
      const found = await connected()
      if (found.streamLife !== undefined) return found
      const { created } = await found.manager.streams.info(stream)
      await consumerOf(found.manager, place)
      found.streamLife = `${stream} ${created}`
      return found
    },
    /** The stream and its consumer are looked at again before the next pull. */
    distrust() {
      if (opened) opened.streamLife = undefined
    },
    async backlog(): Promise<SourceBacklog> {
      if (!opened) throw new Unusable('there is no connection')
      const { num_pending, num_ack_pending } = await opened.manager.consumers.info(stream, durable)
      return { pending: num_pending, unsettled: num_ack_pending }
    },
    /** Sends what is to be sent, unless the broker is away. */
    async close(isAway: boolean) {
      if (!isAway) await opened?.connection.flush().catch(() => {})
      await opened?.connection.close().catch(() => {})
    },
  }
}
