import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type JetStreamClient, type JetStreamManager, jetstream, jetstreamManager } from '@nats-io/jetstream'
import { type ConnectionOptions, connect, headers as createHeaders } from '@nats-io/transport-node'
import { selfSigned } from './certificates.ts'
import { freePort } from './free-port.ts'

const PROGRAM = 'nats-server'

/** Why tests of the real broker are left out here, in one line; false where it is installed. */
export const withoutNats: string | false = spawnSync(PROGRAM, ['--version']).error
  ? `${PROGRAM} is not installed (apt-get install ${PROGRAM}): what needs the real broker is left out`
  : false

export const STREAM = 'EVENTS'
const SUBJECT = 'events.test'
/** As Postern calls it. */
const CONSUMER = 'postern'

/** So many messages are sent before their acknowledgements are waited for. */
const AT_ONCE = 500

/** For one try to connect. */
const CONNECT_MS = 5_000

/** While the broker is away, of a message with an id. */
const MOST_REPEATS = 10

export interface SentMessage {
  body: string | Uint8Array
  /** `Nats-Msg-Id`. */
  id?: string
}

export interface NatsOptions {
  /** Lines of its configuration, such as `authorization { user: a, password: b }`. */
  configuration?: string
  /** How the test connects, where it needs more than an address. */
  login?: Pick<ConnectionOptions, 'user' | 'pass' | 'token' | 'authenticator'>
  /** It takes connections with TLS alone. */
  tls?: boolean
}

/** A real nats-server with JetStream on a free port of loopback, and a stream. */
export interface NatsServer extends AsyncDisposable {
  /** `host:port`. */
  readonly address: string
  /** The file of the certificate that it has with TLS. */
  readonly ca: string
  readonly manager: JetStreamManager
  send(messages: readonly SentMessage[]): Promise<void>
  /** Ends it: `SIGKILL` is its death, `SIGTERM` its shutdown. */
  halt(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>
  /** Starts it again, at the same place, with other lines of configuration where they are given. */
  launch(configuration?: string): Promise<void>
  /** Takes a message of the consumer, and never settles it. */
  hold(): Promise<void>
  /** How many connections there have been, refused ones too. */
  connections(): Promise<number>
  /** What of the consumer is not settled, and what was never delivered. */
  left(durable?: string): Promise<{ pending: number; unsettled: number }>
}

/** Resolves once it says that it is ready; rejects with what it said when it ends before. */
function ready(server: ChildProcess): Promise<void> {
  const lines: string[] = []
  return new Promise((resolve, reject) => {
    createInterface({ input: server.stderr! }).on('line', (line) => {
      lines.push(line)
      if (line.includes('Server is ready')) resolve()
    })
    server.once('exit', () => reject(new Error(`nats-server did not start:\n${lines.join('\n')}`)))
  })
}

async function sendAll(client: JetStreamClient, messages: readonly SentMessage[]) {
  for (let sent = 0; sent < messages.length; sent += AT_ONCE)
    await Promise.all(
      messages.slice(sent, sent + AT_ONCE).map(({ body, id }) => {
        const headers = createHeaders()
        if (id !== undefined) headers.set('Nats-Msg-Id', id)
        const publish = (tries: number): Promise<unknown> =>
          client.publish(SUBJECT, body, { headers }).catch((error) => {
            // The broker knows a message with an id, and keeps it once.
            if (id === undefined || tries === 0) throw error
            return publish(tries - 1)
          })
        return publish(MOST_REPEATS)
      }),
    )
}

export async function startNats({ configuration = '', login, tls = false }: NatsOptions = {}): Promise<NatsServer> {
  const folder = await mkdtemp(join(tmpdir(), 'postern-nats-'))
  const [port, monitor] = [await freePort(), await freePort()]
  const file = join(folder, 'nats.conf')
  const [ca, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  const encrypted = tls ? `tls { cert_file: "${ca}", key_file: "${key}" }` : ''
  if (tls) {
    const certificate = await selfSigned()
    await writeFile(ca, certificate.cert)
    await writeFile(key, certificate.key)
  }
  const places = `listen: "127.0.0.1:${port}"\nhttp: "127.0.0.1:${monitor}"\njetstream { store_dir: "${folder}/store" }`
  let server: ChildProcess

  const launch = async (lines = configuration) => {
    await writeFile(file, `${places}\n${encrypted}\n${lines}\n`)
    server = spawn(PROGRAM, ['-c', file], { stdio: ['ignore', 'ignore', 'pipe'] })
    await ready(server)
  }
  const halt: NatsServer['halt'] = async (signal) => {
    if (server.exitCode !== null || server.signalCode !== null) return
    const ended = once(server, 'exit')
    server.kill(signal)
    await ended
  }

  await launch()
  const options = {
    servers: `127.0.0.1:${port}`,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 50,
    // One try of the client may be never answered where the machine is busy.
    timeout: CONNECT_MS,
    waitOnFirstConnect: true,
    ...login,
    ...(tls && { tls: { caFile: ca } }),
  }
  const connection = await connect(options)
  const manager = await jetstreamManager(connection)
  await manager.streams.add({ name: STREAM, subjects: ['events.>'] })
  const client = jetstream(connection)
  return {
    address: `127.0.0.1:${port}`,
    ca,
    manager,
    send: (messages) => sendAll(client, messages),
    halt,
    launch,
    async hold() {
      const consumer = await client.consumers.get(STREAM, CONSUMER)
      while (!(await consumer.next({ expires: 5_000 })));
    },
    connections: async () =>
      ((await (await fetch(`http://127.0.0.1:${monitor}/varz`)).json()) as { total_connections: number }).total_connections,
    async left(durable = CONSUMER) {
      const { num_pending, num_ack_pending } = await manager.consumers.info(STREAM, durable)
      return { pending: num_pending, unsettled: num_ack_pending }
    },
    async [Symbol.asyncDispose]() {
      await connection.close()
      await halt('SIGKILL')
      await rm(folder, { recursive: true, force: true })
    },
  }
}
