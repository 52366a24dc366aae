import { once } from 'node:events'
import { createServer as createTcpServer, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { signature } from '../../server/src/lib/crypto.ts'
import { type Certificate, selfSigned } from '../../server/test/stage/certificates.ts'
import { addressOf, CONSUMER_SECRET } from './fixtures.ts'
import { readArgument, serve, startWorker } from './worker.ts'

interface ReceiverArgument {
  addresses: number
  /** For TLS: the CA that signs a certificate for each address. */
  authority?: Certificate
}

/** The callbacks of a benchmark, in a process of their own: one loopback address for each webhook, all on one port. */
export interface Receiver extends AsyncDisposable {
  port: number
  /** Resolves once so many deliveries came since the last call. */
  receive(atLeast: number): Promise<void>
}

export async function startReceiver(addresses: number, authority?: Certificate): Promise<Receiver> {
  const argument: ReceiverArgument = { addresses, authority }
  const worker = await startWorker<{ atLeast: number }, { port: number }>('receiver.ts', argument)
  return {
    ...(await worker.call({ atLeast: 0 })),
    receive: async (atLeast) => void (await worker.call({ atLeast })),
    [Symbol.asyncDispose]: () => worker[Symbol.asyncDispose](),
  }
}

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'
const HEAD_END = '\r\n\r\n'
const CONTENT_LENGTH = /\r\ncontent-length: *(\d+)/i

/** Answers a challenge as a real callback would: otherwise the webhook would become invalid. */
function challengeResponse(target: string): string {
  const token = new URL(target, 'http://callback').searchParams.get('crc_token') ?? ''
  const body = JSON.stringify({ response_token: signature(CONSUMER_SECRET, token) })
  return `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
}

/** A minimal HTTP/1.1 server on a raw socket. */
function readRequests(socket: Socket, received: () => void) {
  let head = ''
  let bodyLeft = 0
  socket.setNoDelay(true)
  socket.on('error', () => socket.destroy())
  socket.on('data', (chunk: Buffer) => {
    for (let at = 0; at < chunk.length; ) {
      if (bodyLeft === 0) {
        const carried = head.length
        head += chunk.toString('latin1', at)
        const end = head.indexOf(HEAD_END)
        if (end === -1) return
        at += end + HEAD_END.length - carried
        bodyLeft = Number(CONTENT_LENGTH.exec(head)?.[1] ?? 0)
        head = head.slice(0, end)
      }
      const taken = Math.min(bodyLeft, chunk.length - at)
      at += taken
      bodyLeft -= taken
      if (bodyLeft > 0) return
      if (head.startsWith('GET ')) socket.write(challengeResponse(head.split(' ')[1]!))
      else {
        received()
        socket.write(OK)
      }
      head = ''
    }
  })
}

/** Listens at the addresses of so many webhooks, and calls `received` with the place of the webhook for each delivery. Resolves with the port. */
export async function listenForDeliveries({ addresses, authority }: ReceiverArgument, received: (place: number) => void): Promise<number> {
  let port = 0
  for (let place = 0; place < addresses; place += 1) {
    const connected = (socket: Socket) => readRequests(socket, () => received(place))
    const server = authority
      ? createTlsServer(await selfSigned({ hosts: [addressOf(place)], issuer: authority }), connected)
      : createTcpServer(connected)
    server.listen(port, addressOf(place))
    await once(server, 'listening')
    port = (server.address() as { port: number }).port
  }
  return port
}

async function serveCallbacks(argument: ReceiverArgument) {
  let count = 0
  let awaited = 0
  let reached = () => {}
  const port = await listenForDeliveries(argument, () => {
    count += 1
    if (count >= awaited) reached()
  })

  serve(
    async ({ atLeast }: { atLeast: number }) => {
      awaited = atLeast
      if (count < atLeast)
        await new Promise<void>((resolve) => {
          reached = resolve
        })
      count = 0
      awaited = 0
      return { port }
    },
    () => {},
  )
}

if (import.meta.main) await serveCallbacks(readArgument())
