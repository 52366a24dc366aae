// The hub of Postern's streams behind its HTTP host: entries are handed over as the event log hands them over after a commit.
import pino from 'pino'
import type { Outlet } from '../../../server/src/api/declare/endless-answer.ts'
import { createHost } from '../../../server/src/api/http/http.ts'
import { createStreamHub } from '../../../server/src/delivery/stream/hub.ts'
import { createClock } from '../../../server/src/lib/clock.ts'
import { createIds } from '../../../server/src/lib/ids.ts'
import { createStreamCounts } from '../../../server/src/metrics/stream-counts.ts'
import type { StreamListener } from '../../../server/src/storage/event-log.ts'
import { noLease } from '../../../server/src/storage/work-lease.ts'
import { entryFor, PATH, PER_APP, type StreamArgument } from '../streams/fixtures.ts'
import { serveLines } from '../streams/serve-lines.ts'
import { readArgument } from './serve.ts'

const { batch } = readArgument<StreamArgument>()
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
  changes: { listen() {} },
  lease: noLease,
  ids: createIds(clock),
  clock,
  logger: pino({ level: 'silent' }),
  counts: createStreamCounts(),
})

const appOf = (connection: number) => String(Math.floor(connection / PER_APP))

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
const fallbacks = {
  notFound: refuse,
  tooLarge: refuse,
  badRequest: refuse,
  refused: refuse,
  broken: refuse,
  busy: refuse,
  notReady: refuse,
}
const route = { path: PATH, methods: ['GET'], bodyLimitBytes: 1024, streams: false, refuseEarly: undefined, respond }
const host = createHost([route], fallbacks as never, pino({ level: 'silent' }))
const port = await host.listen(0, '127.0.0.1')

serveLines({
  url: `http://127.0.0.1:${port}`,
  connections: () => outlets.length,
  send() {
    const apps = Math.ceil(outlets.length / PER_APP)
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
})
