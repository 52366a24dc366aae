import { connect, createServer, type Socket } from 'node:net'

/** How much of what a client says is remembered. */
const REMEMBERED = 10_000

export interface SilentProxy extends AsyncDisposable {
  port: number
  /** How many connections are open, silent ones too. */
  open(): number
  /**
   * From here on nothing passes over the connections that are open, in either direction, and none of them ends. New ones pass. With `said`
   * only those whose client has said that at the beginning.
   */
  silence(said?: string): void
  /** The same with those of the connections that are chosen. */
  silenceSome(isChosen: () => boolean): void
  /** Whether new connections are silent, too. */
  silenceNew(isSilent: boolean): void
  /** Breaks every connection, silent or not: both ends see it at once. */
  breakAll(): void
  /** The same with those of the connections that are chosen. */
  breakSome(isChosen: () => boolean): void
  /** Passes on the next that a client says so, and what the server answers on that connection only from the call of the returned function on. */
  holdAnswerTo(said: RegExp): () => void
}

/** Stands before a server, and can turn its connections dead without a word, as a network does that forgets them. */
export async function startSilentProxy(serverPort: number): Promise<SilentProxy> {
  const pairs = new Set<readonly [Socket, Socket]>()
  /** What each client has said. */
  const words = new WeakMap<Socket, string>()
  /** Takes the connection on which a client says this next. */
  let holding: { said: RegExp; take: (pair: readonly [Socket, Socket]) => void } | undefined
  let isNewSilent = false
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
    words.set(client, '')
    client.on('data', (piece) => {
      const before = words.get(client)!
      const text = piece.toString('latin1')
      if (before.length < REMEMBERED) words.set(client, before + text)
      if (holding?.said.test(text)) holding.take(pair)
    })
    if (isNewSilent) return
    client.pipe(upstream)
    upstream.pipe(client)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const breakSome = (isChosen: () => boolean) => {
    for (const pair of pairs) if (isChosen()) for (const socket of pair) socket.destroy()
  }
  const breakAll = () => breakSome(() => true)
  const silenceOne = ([client, upstream]: readonly [Socket, Socket]) => {
    client.unpipe(upstream)
    upstream.unpipe(client)
    for (const socket of [client, upstream]) socket.resume()
  }
  const end = () => {
    breakAll()
    return new Promise<void>((closed) => server.close(() => closed()))
  }
  return {
    port: (server.address() as { port: number }).port,
    open: () => pairs.size,
    silence(said = '') {
      for (const pair of pairs) if (words.get(pair[0])!.includes(said)) silenceOne(pair)
    },
    silenceSome(isChosen) {
      for (const pair of pairs) if (isChosen()) silenceOne(pair)
    },
    silenceNew(isSilent) {
      isNewSilent = isSilent
    },
    breakAll,
    breakSome,
    holdAnswerTo(said) {
      const held = Promise.withResolvers<readonly [Socket, Socket]>()
      const take = (pair: readonly [Socket, Socket]) => {
        holding = undefined
        pair[1].unpipe(pair[0])
        held.resolve(pair)
      }
      holding = { said, take }
      return () => void held.promise.then(([client, upstream]) => upstream.pipe(client))
    },
    [Symbol.asyncDispose]: end,
  }
}
