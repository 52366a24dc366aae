import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

export interface Gate extends AsyncDisposable {
  /** The URL of the database through this gate. */
  url: string
  /** Ends every connection and refuses new ones, as a server that is down. */
  shut(): Promise<void>
  open(): Promise<void>
  /** Answers to what has this word are lost, and the connection with them: it may have been done. */
  loseAnswerTo(word: string): void
}

/** Stands before a PostgreSQL, and can be shut. */
export async function startGate(databaseUrl: string): Promise<Gate> {
  const url = new URL(databaseUrl)
  const [port, host] = [Number(url.port), url.hostname]
  const sockets = new Set<Socket>()
  let server: Server | undefined
  let own = 0
  let lost: string | undefined

  const passOn = (client: Socket) => {
    const upstream = connect(port, host)
    let isLost = false
    client.on('data', (piece) => {
      if (lost !== undefined && piece.includes(lost)) isLost = true
    })
    upstream.on('data', (piece) => {
      if (!isLost) return void client.write(piece)
      lost = undefined
      client.destroy()
    })
    client.pipe(upstream)
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket)
      socket
        .on('error', () => {})
        .on('close', () => {
          sockets.delete(socket)
          other.destroy()
        })
    }
  }
  const open = async () => {
    server = createServer(passOn)
    await once(server.listen(own, '127.0.0.1'), 'listening')
    own = (server.address() as AddressInfo).port
  }
  const shut = async () => {
    const closing = server
    server = undefined
    const closed = closing && once(closing, 'close')
    closing?.close()
    for (const socket of sockets) socket.destroy()
    await closed
  }
  await open()
  url.hostname = '127.0.0.1'
  url.port = String(own)
  return { url: url.href, open, shut, loseAnswerTo: (word) => (lost = word), [Symbol.asyncDispose]: shut }
}
