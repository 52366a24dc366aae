import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createReceiver, type ReceivedEvent, type Receiver } from '@postern/receiver'
import { createSignal } from './signal.ts'

/** What came to one callback. Nothing is dropped. */
export interface CountedCallback {
  url: string
  /** How often each event came and was answered 200, by its uuid. */
  counts: ReadonlyMap<string, number>
  /** Bodies that are no events: the status of replays. */
  statuses: readonly ReceivedEvent[]
  /** When each came, in monotonic milliseconds. */
  times: readonly number[]
  /** For each life of the sender, how many events came last in it and then again in a later one. */
  again: readonly number[]
}

export interface CountingReceiver extends AsyncDisposable {
  /** A callback at a path of its own; when `failEvery` is set, every so-manieth POST is answered 500. */
  callback(path: string, failEvery?: number): CountedCallback
  /** The sender was killed: what comes now comes in its next life. */
  nextLife(): void
  /** Something happened that somebody may wait for. */
  changed(): void
  /** Resolves once it is so; asked whenever something came. */
  when(isSo: () => boolean): Promise<void>
}

/** A real receiver with several callbacks, that verifies what comes and counts it. */
export async function startCountingReceiver(secret: string): Promise<CountingReceiver> {
  const signal = createSignal()
  const callbacks = new Map<string, { receiver: Receiver; failEvery: number; posts: number }>()
  const server = createServer((request, response) => {
    const callback = callbacks.get(request.url!.split('?', 1)[0]!)!
    if (request.method === 'POST' && ++callback.posts % callback.failEvery === 0)
      return void request.resume().once('end', () => response.writeHead(500).end())
    callback.receiver.node(request, response)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo

  let life = 0

  const callback = (path: string, failEvery = Number.POSITIVE_INFINITY): CountedCallback => {
    const counts = new Map<string, number>()
    const cameInLife = new Map<string, number>()
    const again: number[] = []
    const statuses: ReceivedEvent[] = []
    const times: number[] = []
    const onEvent = (event: ReceivedEvent) => {
      const uuid = event.data?.event_uuid
      if (uuid === undefined) statuses.push(event)
      else {
        const before = cameInLife.get(uuid)
        if (before !== undefined) again[before] = (again[before] ?? 0) + 1
        cameInLife.set(uuid, life)
        counts.set(uuid, (counts.get(uuid) ?? 0) + 1)
        times.push(performance.now())
      }
      signal.changed()
    }
    const receiver = createReceiver({ secrets: [secret], onEvent, dedupeCacheSize: 0, log: () => {} })
    callbacks.set(path, { receiver, failEvery, posts: 0 })
    return { url: `http://127.0.0.1:${port}${path}`, counts, statuses, times, again }
  }

  return {
    callback,
    nextLife() {
      life += 1
    },
    changed: signal.changed,
    when: signal.until,
    [Symbol.asyncDispose]: () =>
      new Promise((closed) => {
        server.closeAllConnections()
        server.close(() => closed())
      }),
  }
}
