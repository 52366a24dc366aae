import { connect, createServer, type Socket } from 'node:net'

export interface SilentProxy extends AsyncDisposable {
  port: number
  /** How many connections are open, silent ones too. */
  open(): number
  /** From here on nothing passes over the connections that are open, in either direction, and none of them ends. New ones pass. */
  silence(): void
}

/** Stands before a server, and can turn its connections dead without a word, as a network does that forgets them. */
export async function startSilentProxy(serverPort: number): Promise<SilentProxy> {
  const pairs = new Set<readonly [Socket, Socket]>()
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const upstream = connect({ port: serverPort, host: '127.0.0.1', allowHalfOpen: true })
    const pair = [client, upstream] as const
    pairs.add(pair)
    for (const socket of pair)
      socket
        .on('error', () => {})
        .on('close', () => {
          pairs.delete(pair)
          for (const either of pair) either.destroy()
        })
    client.pipe(upstream)
    upstream.pipe(client)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const end = () => {
    for (const pair of pairs) for (const socket of pair) socket.destroy()
    return new Promise<void>((closed) => server.close(() => closed()))
  }
  return {
    port: (server.address() as { port: number }).port,
    open: () => pairs.size,
    silence() {
      for (const [client, upstream] of pairs) {
        client.unpipe(upstream)
        upstream.unpipe(client)
        for (const socket of [client, upstream]) socket.resume()
      }
    },
    [Symbol.asyncDispose]: end,
  }
}
