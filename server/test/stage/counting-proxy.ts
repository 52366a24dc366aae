import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** The messages that run something: a simple query, which may have several statements, and the execution of a prepared one. */
const RUNS = new Set(['Q', 'E'])

const LENGTH_BYTES = 4

/** What a process asks again after a time, so that the number depends on the machine. */
const HEARTBEAT = /^Q....select 1\0$/s

/** Calls `seen` with each message of a client of PostgreSQL, whose pieces may begin and end anywhere. The first has no type. */
function readMessages(seen: (message: string) => void): (piece: Buffer) => void {
  let left: Buffer = Buffer.alloc(0)
  let typeBytes = 0
  return (piece) => {
    left = Buffer.concat([left, piece])
    while (left.length >= typeBytes + LENGTH_BYTES) {
      const end = typeBytes + left.readInt32BE(typeBytes)
      if (left.length < end) return
      seen(left.toString('latin1', 0, end))
      left = left.subarray(end)
      typeBytes = 1
    }
  }
}

export interface CountingProxy extends AsyncDisposable {
  /** The URL of the database through this proxy. */
  url: string
  /** How many connections were opened, and how many queries were run on them, heartbeats left out. */
  counts(): { connections: number; queries: number }
}

/** Stands before PostgreSQL, and counts. */
export async function startCountingProxy(databaseUrl: string): Promise<CountingProxy> {
  const url = new URL(databaseUrl)
  const [port, host] = [Number(url.port), url.hostname]
  const sockets = new Set<Socket>()
  let connections = 0
  let queries = 0

  const server = createServer((client) => {
    connections += 1
    const upstream = connect(port, host)
    const read = readMessages((message) => {
      if (RUNS.has(message[0]!) && !HEARTBEAT.test(message)) queries += 1
    })
    client.on('data', read)
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => {}).on('close', () => other.destroy())
      socket.pipe(other)
    }
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    counts: () => ({ connections, queries }),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await once(server.close(), 'close')
    },
  }
}
