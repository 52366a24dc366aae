import { certificateAuthority } from '../../../server/test/stage/certificates.ts'
import { type Database, type Engine, engineName, engines } from '../databases.ts'
import { formatNumber, interleave, type Rate } from '../measure.ts'
import { startReceiver } from '../receiver.ts'
import { type Benchmark, besideBaseline, type Row, type Run } from '../report.ts'
import { type Sampler, startWorker } from '../worker.ts'
import type { SenderArgument } from '../workers/postern-sender.ts'

interface Shape {
  webhooks: number
  inFlight: number
  /** Use https. */
  secure?: boolean
  minRatio: Record<Engine, number>
}

type Callbacks = Pick<SenderArgument, 'port' | 'webhooks' | 'ca'>

const startSender = ({ url, databasePid }: Database, callbacks: Callbacks): Promise<Sampler> =>
  startWorker('workers/postern-sender.ts', { url, databasePid, ...callbacks } satisfies SenderArgument)

const rowOf = (engine: Engine, { webhooks, inFlight, secure, minRatio }: Shape, postern: Rate, bare: Rate): Row => ({
  what: `Signed deliveries/s${secure ? ' over TLS' : ''}, ${formatNumber(webhooks)} ${webhooks === 1 ? 'webhook' : 'webhooks'}, ${inFlight} in flight, ${engineName[engine]}`,
  ...besideBaseline(postern, bare, `bare undici${secure ? ' over TLS' : ''}`, minRatio[engine]),
})

/** Rounds that are not counted; in them TLS connections are opened. A warm-up of Postern is a fixed backlog, which is fewer requests than the bare loop sends in the time. */
const DISCARDED_ROUNDS = 3

async function measure({ webhooks, inFlight, secure }: Shape, { config, databases }: Run) {
  const authority = secure ? await certificateAuthority('Bench') : undefined
  await using sqliteDatabase = await databases.open('sqlite')
  await using postgresDatabase = await databases.open('postgres')
  await using receiver = await startReceiver(webhooks, authority)
  const callbacks = { port: receiver.port, webhooks, ca: authority?.cert }
  await using bare: Sampler = await startWorker('workers/bare-sender.ts', { ...callbacks, inFlight })
  await using sqlite = await startSender(sqliteDatabase, callbacks)
  await using postgres = await startSender(postgresDatabase, callbacks)
  const samplers = { sqlite, postgres, bare }
  await interleave(samplers, { ...config, samples: DISCARDED_ROUNDS })
  return await interleave(samplers, config)
}

/** Delivers backlogs with Postern's own modules on each database, and runs the bare loop against the same receiver. */
async function measureDeliveries(shape: Shape, run: Run): Promise<Row[]> {
  const rates = await measure(shape, run)
  return engines.map((engine) => rowOf(engine, shape, rates[engine], rates.bare))
}

export const deliveries: readonly Benchmark[] = [
  {
    name: 'deliveries-1000',
    method:
      "A backlog of 1 KB events is committed to the log while nothing is sent. Then Postern's own modules (log, dispatcher, sender) deliver it, until the last attempt is committed. Accepting the events is not part of the time: it has its own benchmark. The baseline is a loop over undici `dispatch` that signs and sends the same bytes to the same receiver, with as many in flight. After the warm-up three rounds of samples are discarded. CPU time includes PostgreSQL. Log level warn.",
    measure: (run) => measureDeliveries({ webhooks: 1000, inFlight: 64, minRatio: { sqlite: 0.78, postgres: 0.65 } }, run),
  },
  {
    name: 'deliveries-100',
    method: 'The same with 100 webhooks.',
    measure: (run) => measureDeliveries({ webhooks: 100, inFlight: 64, minRatio: { sqlite: 0.9, postgres: 0.65 } }, run),
  },
  {
    name: 'deliveries-1',
    method:
      'The same with all events for one webhook. 256 deliveries of its backlog are queued in memory; the webhook is parked, and the rest is read back from the log.',
    measure: (run) => measureDeliveries({ webhooks: 1, inFlight: 4, minRatio: { sqlite: 0.7, postgres: 0.5 } }, run),
  },
  {
    name: 'deliveries-tls',
    method:
      'The same over TLS 1.3, for 250 webhooks at as many addresses. Each address has a certificate of one CA that both sides trust. Both sides verify it when they open a connection, and keep connections alive.',
    measure: (run) => measureDeliveries({ webhooks: 250, inFlight: 64, secure: true, minRatio: { sqlite: 0.85, postgres: 0.85 } }, run),
  },
]
