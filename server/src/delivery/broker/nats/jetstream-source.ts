import { readFile } from 'node:fs/promises'
import { type Consumer, type ConsumerInfo, type JetStreamManager, type JsMsg, jetstream, jetstreamManager } from '@nats-io/jetstream'
import { type ConnectionOptions, connect, credsAuthenticator, type NatsConnection, nanos } from '@nats-io/transport-node'
import type { Logger } from 'pino'
import { type Clock, endOfTurn } from '../../../lib/clock.ts'
import { SECOND_MS } from '../../../lib/time.ts'
import type { EventSource, SourceMessage } from '../event-source.ts'
import type { NatsPlace } from './nats-place.ts'

const CONNECT_MS = 5 * SECOND_MS
/** Between two tries to reach the broker, or to find out what is wrong with the stream. */
const RETRY_MS = SECOND_MS
/** The same within the library, once a connection was lost. */
const RECONNECT_MS = 500
/** Without an answer to two pings in a row a connection is taken for dead. */
const PING_MS = 5 * SECOND_MS
const MOST_PINGS = 2

/** A pull ends after so long, so that a source that is stopped waits no longer for what is still on its way. */
const PULL_MS = 2 * SECOND_MS
/** Of each pull; and one message, whatever its size. */
const PULL_BYTES = 8 * 1024 * 1024
/** Beside the payload of a message: its subject and headers. */
const HEADERS_BYTES = 128 * 1024

/** What a consumer that is made is like. A message that is not settled by then goes to another process. */
const ACK_WAIT_MS = 60 * SECOND_MS
const MAX_ACK_PENDING = 10_000
const FOR_EVER = -1

/** `JSConsumerNotFoundErr` of the server. */
const NO_CONSUMER = 10014

/** A connection with the consumer that is used through it. */
interface Opened {
  connection: NatsConnection
  consumer: Consumer
  /** Names one life of the stream. */
  streamLife: string
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

async function optionsOf({ servers, isEncrypted, login, caFile, certFile, keyFile }: NatsPlace): Promise<ConnectionOptions> {
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
    ...(login && ('credsFile' in login ? { authenticator: credsAuthenticator(await readFile(login.credsFile)) } : login)),
  }
}

/** What went wrong, without the error's cause: a socket's may hold what was sent. */
function reasonOf(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException
  return message || String(code ?? error)
}

/** Once a connection is closed nothing can be said about a message: the broker delivers it again. */
const unlessClosed = (say: () => void) => {
  try {
    say()
  } catch {}
}

/** A message as the consumer sees it. Its bytes are those that were received. */
function messageOf(received: JsMsg, streamLife: string): SourceMessage {
  const { info, data, subject, headers } = received
  return {
    stream: info.stream,
    streamLife,
    sequence: info.streamSequence,
    subject,
    producerId: headers?.get('Nats-Msg-Id') || undefined,
    body: Buffer.from(data.buffer, data.byteOffset, data.byteLength),
    receivedAtMs: Math.floor(info.timestampNanos / 1e6),
    deliveries: info.deliveryCount,
    accept: () => unlessClosed(() => received.ack()),
    discard: () => unlessClosed(() => received.term()),
    giveBack: (delayMs) => unlessClosed(() => received.nak(delayMs)),
  }
}

/** Takes messages from a stream of JetStream by a durable pull consumer. */
export function createJetStreamSource(place: NatsPlace, clock: Clock, logger: Logger): EventSource {
  const { stream, durable, servers } = place
  const about = { servers, stream, consumer: durable }
  /** Pulled and not taken. */
  const pulled: SourceMessage[] = []
  let opened: Opened | undefined
  let isConnected = false
  let isTold = false
  let isStopped = false
  let isPulling = false
  let pulling: Promise<void> | undefined
  let arrived = Promise.withResolvers<void>()
  let wake = () => {}

  const wait = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = clock.after(ms, resolve, { isUpkeep: true })
      wake = () => {
        timer.cancel()
        resolve()
      }
      if (isStopped) wake()
    })

  const connected = () => {
    if (isConnected) return
    isConnected = true
    isTold = false
    logger.info(about, 'events are taken from the broker')
  }

  /** Each outage is told once. */
  const away = (reason: string) => {
    isConnected = false
    if (isTold || isStopped) return
    isTold = true
    logger.warn({ ...about, reason }, 'the broker cannot be used: it is tried again until it can')
  }

  const watch = async (connection: NatsConnection) => {
    for await (const status of connection.status()) {
      if (status.type === 'disconnect') away('the connection was lost')
      // Whether the stream is there is found by the next pull.
      if (status.type === 'reconnect' && opened?.connection === connection) connected()
    }
  }

  const forget = async () => {
    const former = opened
    opened = undefined
    await former?.connection.close().catch(() => {})
  }

  const open = async (): Promise<Opened> => {
    if (opened && !opened.connection.isClosed()) return opened
    const connection = await connect(await optionsOf(place))
    try {
      const manager = await jetstreamManager(connection, { checkAPI: false })
      const { created } = await manager.streams.info(stream)
      await consumerOf(manager, place)
      const consumer = await jetstream(connection).consumers.get(stream, durable)
      opened = { connection, consumer, streamLife: `${stream} ${created}` }
    } catch (error) {
      await connection.close().catch(() => {})
      throw error
    }
    void watch(connection)
    connected()
    return opened
  }

  const pull = async () => {
    const { connection, consumer, streamLife } = await open()
    const maxBytes = Math.max(PULL_BYTES, (connection.info?.max_payload ?? 0) + HEADERS_BYTES)
    const messages = await consumer.fetch({ max_bytes: maxBytes, expires: PULL_MS })
    for await (const received of messages) {
      pulled.push(messageOf(received, streamLife))
      arrived.resolve()
    }
    connected()
  }

  /** The end of a pull that has as many bytes as it may: the rest comes with the next one. */
  const isFull = (error: unknown) => /message size exceeds maxbytes/i.test(reasonOf(error))

  const beginPull = () => {
    pulling ??= pull()
      .catch(async (error) => {
        if (isFull(error)) return
        away(reasonOf(error))
        await forget()
        await wait(RETRY_MS)
      })
      .finally(() => {
        pulling = undefined
      })
    return pulling
  }

  return {
    async take() {
      isPulling = true
      while (pulled.length === 0 && !isStopped) {
        arrived = Promise.withResolvers()
        await Promise.race([arrived.promise, beginPull()])
      }
      await endOfTurn()
      if (isStopped) return []
      const taken = pulled.splice(0)
      // While these are published, the next ones come.
      if (isPulling) void beginPull()
      return taken
    },
    async giveBack(messages) {
      isPulling = false
      await pulling
      for (const message of [...messages, ...pulled.splice(0)]) message.giveBack(0)
    },
    isConnected: () => isConnected,
    async backlog() {
      if (!opened) throw new Unusable('there is no connection')
      const { num_pending, num_ack_pending } = await opened.consumer.info()
      return { pending: num_pending, unsettled: num_ack_pending }
    },
    async stop() {
      isStopped = true
      isPulling = false
      wake()
      arrived.resolve()
      // A pull ends soon, unless the broker is away.
      if (!isConnected) await forget()
      await pulling
      for (const message of pulled.splice(0)) message.giveBack(0)
    },
    async close() {
      await opened?.connection.flush().catch(() => {})
      await forget()
    },
  }
}
