import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { pipeline } from 'node:stream'

interface Address {
  host: string
  port: number
}

/** The protocol that a client begins to speak with its first message; another one is a request to cancel, or for TLS. */
const PROTOCOL_3 = 196_608
const HEADER = 5
/** A message up to this size is kept until it is whole. */
const SMALL = 64

/** Told of each message, with its type, and its body if it is small. */
type Told = (type: string, body: Buffer | undefined) => void

/** Follows the messages of one side of a connection: each has a type of one byte, and its length without that. */
function followMessages(told: Told) {
  let kept = Buffer.alloc(0)
  let skipping = 0
  return (piece: Buffer) => {
    let rest = piece
    if (skipping > 0) {
      const skipped = Math.min(skipping, rest.length)
      skipping -= skipped
      rest = rest.subarray(skipped)
    }
    if (kept.length > 0) rest = Buffer.concat([kept, rest])
    while (rest.length >= HEADER) {
      const size = rest.readUInt32BE(1) + 1
      if (size > SMALL) {
        told(String.fromCharCode(rest[0]!), undefined)
        skipping = Math.max(0, size - rest.length)
        rest = rest.subarray(size)
      } else if (rest.length < size) break
      else {
        told(String.fromCharCode(rest[0]!), rest.subarray(HEADER, size))
        rest = rest.subarray(size)
      }
    }
    kept = Buffer.from(rest)
  }
}

const TERMINATE = 'X'
const TERMINATE_BYTES = 5
/** `discard all` as a simple query: the session is as it was at its start. */
const DISCARD = Buffer.from('Q\0\0\0\x10discard all\0', 'latin1')
/** The last query of a session that waits for another client. */
export const DISCARDED = 'discard all'

/** A connection to the server. */
interface Session {
  socket: Socket
  /** What the server said to its first client, up to when it was ready. */
  greeting: Buffer
  /** Told of each piece that the server sends. */
  hear(piece: Buffer): void
  /** Told when the server has closed it. */
  ended(): void
}

const ignore = () => {}

/** Opens a session with what its client begins with. */
function openSession(server: Address, beginning: Buffer): Session {
  const socket = connect(server).setNoDelay().unref()
  const session: Session = { socket, greeting: Buffer.alloc(0), hear: ignore, ended: ignore }
  let isReady = false
  const followGreeting = followMessages((type) => {
    if (type === 'Z') isReady = true
  })
  socket.on('error', ignore)
  socket.on('close', () => session.ended())
  socket.on('data', (piece: Buffer) => {
    if (!isReady) {
      session.greeting = Buffer.concat([session.greeting, piece])
      followGreeting(piece)
    }
    session.hear(piece)
  })
  socket.write(beginning)
  return session
}

/** Resolves with whether the session is as at its start, and of use for another client. */
function discard(session: Session): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  let isDiscarded = false
  session.ended = () => resolve(false)
  session.hear = followMessages((type, body) => {
    if (type === 'E') resolve(false)
    if (type === 'C' && body?.toString('latin1') === 'DISCARD ALL\0') isDiscarded = true
    if (type === 'Z' && isDiscarded) resolve(true)
  })
  session.socket.write(DISCARD)
  return promise
}

/** How many sessions wait for a client that begins like their last one. */
const MOST_ALIKE = 4

/** The sessions that no client has, by what their clients begin with: the database, the user and the name of the application. */
function createIdle() {
  const idle = new Map<string, Session[]>()
  return {
    take: (key: string) => idle.get(key)?.pop(),
    keep(key: string, session: Session) {
      const alike = idle.get(key) ?? []
      if (alike.length >= MOST_ALIKE) return void session.socket.destroy()
      idle.set(key, alike)
      alike.push(session)
      session.hear = ignore
      session.ended = () => void (alike.includes(session) && alike.splice(alike.indexOf(session), 1))
    },
  }
}

/** A client and its session. A client that says goodbye leaves its session to another one; the session of any other ends with it. */
function serve(client: Socket, session: Session, leave: () => void) {
  let isOver = false
  session.hear = (piece) => {
    if (client.write(piece)) return
    session.socket.pause()
    client.once('drain', () => session.socket.resume())
  }
  session.ended = () => client.destroy()
  client.on('close', () => {
    session.socket.resume()
    if (!isOver) session.socket.destroy()
  })
  const follow = followMessages((type) => {
    if (type === TERMINATE) isOver = true
  })
  client.on('data', (piece: Buffer) => {
    follow(piece)
    session.socket.write(isOver ? piece.subarray(0, -TERMINATE_BYTES) : piece)
    if (isOver) leave()
  })
}

function startPooler(server: Address): Promise<Server> {
  const idle = createIdle()

  const begin = (client: Socket, beginning: Buffer) => {
    const key = beginning.toString('latin1')
    const known = idle.take(key)
    if (known) client.write(known.greeting)
    const session = known ?? openSession(server, beginning)
    serve(client, session, () =>
      discard(session).then((isOfUse) => {
        if (isOfUse) idle.keep(key, session)
        else session.socket.destroy()
      }),
    )
  }

  const accept = (client: Socket) => {
    client.setNoDelay().unref().on('error', ignore)
    client.once('data', (beginning: Buffer) => {
      if (beginning.readUInt32BE(4) === PROTOCOL_3) return begin(client, beginning)
      const upstream = connect(server).unref()
      upstream.write(beginning)
      pipeline(client, upstream, client, ignore)
    })
  }

  const { promise, resolve } = Promise.withResolvers<Server>()
  const pooler = createServer(accept).unref()
  pooler.listen(0, '127.0.0.1', () => resolve(pooler))
  return promise
}

/** The addresses of the poolers of this process. */
export const poolerHosts = new Set<string>()

/** By the address of their server. */
const poolers = new Map<string, Promise<Server>>()

/**
 * The URL of a pooler before the server of a database. A session that its client ended politely is reset, and the next client has it, with
 * whatever it knows of tables: opening one takes as long as fifty statements. It is no new session: what `alter database … set` says after its
 * start is nothing to it, and it stays in `pg_stat_activity`.
 */
export async function pooledUrl(databaseUrl: string): Promise<string> {
  const url = new URL(databaseUrl)
  const pooler = poolers.get(url.host) ?? startPooler({ host: url.hostname, port: Number(url.port) })
  poolers.set(url.host, pooler)
  url.port = String(((await pooler).address() as AddressInfo).port)
  poolerHosts.add(url.host)
  return url.href
}
