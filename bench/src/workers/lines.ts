// A server of lines, each a prepared event to each connection: Postern's streams behind their HTTP host, to which entries are handed as the
// event log hands them over after a commit, or node:http alone, which writes the same bytes.
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import pino from 'pino'
import type { Outlet } from '../../../server/src/api/declare/endless-answer.ts'
import { createHost } from '../../../server/src/api/http/http.ts'
import { bodyOf, contentOf } from '../../../server/src/delivery/envelope.ts'
import { createStreamHub } from '../../../server/src/delivery/stream/hub.ts'
import { createClock } from '../../../server/src/lib/clock.ts'
import { createIds } from '../../../server/src/lib/ids.ts'
import { createStreamCounts } from '../../../server/src/metrics/stream-counts.ts'
import type { StreamEntry, StreamListener } from '../../../server/src/storage/event-log.ts'
import { noLease } from '../../../server/src/storage/work-lease.ts'
import { stopwatch } from '../process-status.ts'
import { readArgument, type Sample, serve } from '../worker.ts'

export interface LinesArgument {
  server: 'postern' | 'bare'
  path: string
  /** How many events each connection gets at once. */
  batch: number
  /** Connections of each app. */
  perApp: number
}

const { server: kind, path, batch, perApp } = readArgument<LinesArgument>()

const EVENT = { eventType: 'dm.received', userId: '101', match: '"filter":{"user_id":"101"}', eventUuid: '1'.repeat(18) }
const contentOfLength = (length: number) => contentOf({ text: 'x'.repeat(length) }, undefined)
/** Makes a line of 1 KB. */
const content = contentOfLength(1022 - bodyOf({ ...EVENT, content: contentOfLength(0) }).length)

const entryFor = (appId: string, sequence: number): StreamEntry => ({ ...EVENT, appId, sequence, content })

/** Where it listens; `send` sends a batch to all clients and answers how many lines were written; drained, nothing waits in memory. */
interface LineServer {
  url: string
  send(): number
  isDrained(): boolean
  close(): unknown
}

async function posternLines(): Promise<LineServer> {
  const clock = createClock()
  const outlets: Outlet[] = []
  let listener: StreamListener
  let sequence = 1

  const onStream = (set: StreamListener) => {
    listener = set
  }

  const hub = createStreamHub({
    log: { onStream, readStream: async () => [], watchStreams() {} },
    connections: { open: async () => 'opened', list: async () => [], close: async () => {}, noteUse: async () => {} },
    subscriptions: { count: async () => 1 },
    mayReceive: async (_appId, entries) => entries,
    changes: { listen() {}, hearsAll: () => true },
    lease: noLease,
    ids: createIds(clock),
    clock,
    logger: pino({ level: 'silent' }),
    counts: createStreamCounts(),
  })

  const appOf = (connection: number) => String(Math.floor(connection / perApp))

  const respond = async () => {
    const check = async () => undefined
    const opened = await hub.open({ appId: appOf(outlets.length), fromMs: undefined, toMs: undefined, check })
    if (typeof opened === 'string') throw new Error(opened)
    const endless = (outlet: Outlet) => {
      outlets.push(outlet)
      return opened.attach(outlet, '')
    }
    return { status: 200, headers: { 'content-type': 'application/json' }, body: '', endless }
  }

  const refuse = () => ({ status: 404, headers: {}, body: '' })
  const names = ['notFound', 'tooLarge', 'badRequest', 'refused', 'broken', 'busy', 'notReady']
  const fallbacks = Object.fromEntries(names.map((name) => [name, refuse]))
  const route = { path, methods: ['GET'], bodyLimitBytes: 1024, streams: false, refuseEarly: undefined, respond }
  const host = createHost([route], fallbacks as never, pino({ level: 'silent' }))
  const port = await host.listen(0, '127.0.0.1')

  return {
    url: `http://127.0.0.1:${port}`,
    send() {
      const apps = Math.ceil(outlets.length / perApp)
      const entries = []
      for (let count = 0; count < batch; count++) {
        sequence += 1
        for (let app = 0; app < apps; app++) entries.push(entryFor(String(app), sequence))
      }
      listener.committed(entries)
      return outlets.length * batch
    },
    isDrained: () => outlets.every((outlet) => outlet.waitingBytes() === 0),
    close: () => hub.stop(),
  }
}

async function bareLines(): Promise<LineServer> {
  const line = Buffer.concat([bodyOf(entryFor('1', 1)), Buffer.from('\r\n')])
  const clients: ServerResponse[] = []

  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.flushHeaders()
    clients.push(response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    send() {
      for (const client of clients) for (let count = 0; count < batch; count++) client.write(line)
      return clients.length * batch
    },
    isDrained: () => clients.every(({ writableLength }) => writableLength === 0),
    close: () => server.closeAllConnections(),
  }
}

const lines = await (kind === 'postern' ? posternLines() : bareLines())

/** Answers where it listens, or with `ms` sends batches for so long, each once the system has taken the one before. */
async function answer({ ms }: { ms?: number }): Promise<{ url: string } | Sample> {
  if (ms === undefined) return { url: lines.url }
  const watch = stopwatch()
  const startedMs = performance.now()
  let count = 0
  while (performance.now() - startedMs < ms) {
    count += lines.send()
    do await setImmediate()
    while (!lines.isDrained())
  }
  return { count, ...watch() }
}

serve(answer, lines.close)
