import { readFile } from 'node:fs/promises'
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
import type { Logger } from 'pino'
import { type Clock, endOfTurn } from '../../../lib/clock.ts'
import { SECOND_MS } from '../../../lib/time.ts'
import type { EventSource, SourceMessage } from '../event-source.ts'
import { messageOf } from './jetstream-message.ts'
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
const PULL_MS = SECOND_MS
/** A pull whose end has not come by then has been lost. */
const LOST_MS = PULL_MS + 3 * SECOND_MS
/** The most of each pull: so many messages, and bytes, of one message at least. */
const PULL_MESSAGES = 100
const PULL_BYTES = 8 * 1024 * 1024
/** Beside the payload of a message: its subject and headers. */
const HEADERS_BYTES = 128 * 1024

/** What a consumer that is made is like. A message that is not settled by then goes to another process. */
const ACK_WAIT_MS = 60 * SECOND_MS
const MAX_ACK_PENDING = 10_000
const FOR_EVER = -1

/** `JSConsumerNotFoundErr` of the server. */
const NO_CONSUMER = 10014

/** Status of a pull that has ended as it should: no message, its time is over, it has all it may have. */
const isEnd = (code: number, description: string) =>
  code === 404 || code === 408 || (code === 409 && /exceeds maxbytes|batch completed/i.test(description))
const HEARTBEAT = 100

/** A connection, and what is known of the stream through it. */
interface Opened {
  connection: NatsConnection
  manager: JetStreamManager
  /** What the answers to pulls begin with. */
  inbox: string
  /** Names one life of the stream; undefined until the stream and its consumer are found to be right. */
  streamLife: string | undefined
}

/** What was asked for and has not come yet. */
interface Pull {
  inbox: string
  /** How many messages it may still bring. */
  left: number
  /** With an error if it was lost. */
  end(error?: Error): void
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

/**
 * Takes messages from a stream of JetStream by a durable pull consumer. Pulls are made as the wire protocol has them: those of the client are
 * bounded by messages or by bytes, and here by both.
 */
export function createJetStreamSource(place: NatsPlace, clock: Clock, logger: Logger): EventSource {
  const { stream, durable, servers } = place
  const about = { servers, stream, consumer: durable }
  const subject = `$JS.API.CONSUMER.MSG.NEXT.${stream}.${durable}`
  /** Pulled and not taken. */
  const pulled: SourceMessage[] = []
  let opened: Opened | undefined
  let isConnected = false
  let isTold = false
  let isStopped = false
  let isPulling = false
  let pulling: Promise<void> | undefined
  let pull: Pull | undefined
  let pulls = 0
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

  /** What comes to the inbox: messages of the pull that is under way, its status, and what comes too late for a pull that was lost. */
  const heard = (message: Msg, streamLife: string) => {
    const isStatus = message.headers !== undefined && message.headers.code > 0
    if (!isStatus) {
      const found = messageOf(message, streamLife)
      // Too late for its pull, which was lost.
      if (!pull) return found.giveBack(0)
      connected()
      pulled.push(found)
      arrived.resolve()
      pull.left -= 1
      if (pull.left === 0) pull.end()
      return
    }
    const { code, description } = message.headers!
    if (message.subject !== pull?.inbox || code === HEARTBEAT) return
    pull.end(isEnd(code, description) ? undefined : new Error(description.toLowerCase() || `status ${code}`))
  }

  const watch = async (connection: NatsConnection) => {
    for await (const status of connection.status()) {
      if (status.type === 'disconnect') pull?.end(new Error('the connection was lost'))
      if (status.type === 'error') pull?.end(status.error)
    }
  }

  const connection = async (): Promise<Opened> => {
    if (opened && !opened.connection.isClosed()) return opened
    const made = await connect(await optionsOf(place))
    const found: Opened = {
      connection: made,
      manager: await jetstreamManager(made, { checkAPI: false }),
      inbox: createInbox(),
      streamLife: undefined,
    }
    made.subscribe(`${found.inbox}.*`, {
      callback: (error, message) => (error ? pull?.end(error) : heard(message, found.streamLife!)),
    })
    void watch(made)
    opened = found
    return found
  }

  const begin = async () => {
    const found = await connection()
    if (found.streamLife === undefined) {
      const { created } = await found.manager.streams.info(stream)
      await consumerOf(found.manager, place)
      found.streamLife = `${stream} ${created}`
    }
    // After an outage only a pull shows that all is well.
    if (!isTold) connected()
    return found
  }

  /** Asks for a batch, which comes to the inbox. Resolves with the end of it. */
  const pullOnce = async () => {
    const { connection, inbox } = await begin()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const timer = clock.after(LOST_MS, () => reject(new Error('no answer')), { isUpkeep: true })
    const maxBytes = Math.max(PULL_BYTES, (connection.info?.max_payload ?? 0) + HEADERS_BYTES)
    pulls += 1
    pull = { inbox: `${inbox}.${pulls}`, left: PULL_MESSAGES, end: (error) => (error ? reject(error) : resolve()) }
    try {
      connection.publish(subject, JSON.stringify({ batch: PULL_MESSAGES, max_bytes: maxBytes, expires: nanos(PULL_MS) }), {
        reply: pull.inbox,
      })
      await promise
      connected()
    } finally {
      pull = undefined
      timer.cancel()
    }
  }

  /** Whatever goes wrong, the stream and its consumer are looked at again. */
  const lost = async (error: unknown) => {
    if (opened) opened.streamLife = undefined
    away(reasonOf(error))
    await wait(RETRY_MS)
  }

  const beginPull = () => {
    pulling ??= pullOnce()
      .catch(lost)
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
      const { num_pending, num_ack_pending } = await opened.manager.consumers.info(stream, durable)
      return { pending: num_pending, unsettled: num_ack_pending }
    },
    async stop() {
      isStopped = true
      isPulling = false
      wake()
      arrived.resolve()
      await pulling
      for (const message of pulled.splice(0)) message.giveBack(0)
    },
    async close() {
      if (isConnected) await opened?.connection.flush().catch(() => {})
      await opened?.connection.close().catch(() => {})
    },
  }
}
