// A primary of PostgreSQL with a standby, behind one address.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { type PostgresServer, startPostgres } from './postgres-server.ts'

export interface Address extends AsyncDisposable {
  url: string
  leadTo(server: PostgresServer): void
}

/** The address of a database, which leads to one server, and later to another. */
export async function virtualAddress(first: PostgresServer): Promise<Address> {
  let target = first
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(Number(new URL(target.url).port), '127.0.0.1')
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
  const url = new URL(first.url)
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    leadTo(other) {
      target = other
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await once(server.close(), 'close')
    },
  }
}

export interface ReplicatedPair extends AsyncDisposable {
  primary: PostgresServer
  standby: PostgresServer
}

/** A commit is answered once the standby has it on its disk. */
export async function startReplicatedPair(): Promise<ReplicatedPair> {
  const primary = await startPostgres()
  await primary.halt('SIGINT')
  const { port } = new URL(primary.url)
  const from = `primary_conninfo=host=127.0.0.1 port=${port} user=postgres application_name=standby`
  const standby = await startPostgres({ standbyOf: primary.data, settings: [from] })
  await primary.launch(['synchronous_standby_names=standby'])
  return {
    primary,
    standby,
    async [Symbol.asyncDispose]() {
      await standby.stop()
      await primary.stop()
    },
  }
}
