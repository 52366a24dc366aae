import { certificateAuthority } from '../../../server/test/stage/certificates.ts'
import { type Database, type Databases, type Flavour, flavours, nameOf } from '../databases.ts'
import type { Line } from '../figure.ts'
import { interleave, processorOf, type Rate } from '../interleave.ts'
import { inWords } from '../numbers.ts'
import type { SenderArgument } from '../parties/postern-sender.ts'
import { type Sampled, startParty } from '../party.ts'
import { startReceiver } from '../receiver.ts'
import type { Run } from '../run.ts'

interface Shape {
  webhooks: number
  inFlight: number
  /** Over TLS. */
  secure?: boolean
  /** The least ratio that is good enough. */
  leastRatio: Record<Flavour, number>
}

type Callbacks = Pick<SenderArgument, 'port' | 'webhooks' | 'ca'>

const startSender = ({ url, serverPid }: Database, callbacks: Callbacks): Promise<Sampled> =>
  startParty('postern-sender.ts', { url, serverPid, ...callbacks } satisfies SenderArgument)

const lineOf = (flavour: Flavour, { webhooks, inFlight, secure, leastRatio }: Shape, postern: Rate, bare: Rate): Line => {
  const ratio = postern.perSecond / bare.perSecond
  return {
    what: `Signed deliveries/s${secure ? ' over TLS' : ''}, ${inWords(webhooks)} ${webhooks === 1 ? 'webhook' : 'webhooks'}, ${inFlight} in flight, ${nameOf[flavour]}`,
    measured: postern.shown,
    limit: `${bare.shown} bare undici${secure ? ' over TLS' : ''}`,
    ratio,
    processor: processorOf(postern, bare),
    aim: `ratio ≥ ${leastRatio[flavour]}`,
    isMet: ratio >= leastRatio[flavour],
  }
}

/** How much longer it takes to open all connections over TLS. */
const HANDSHAKES_MS = 3000

async function measure({ webhooks, inFlight, secure }: Shape, databases: Databases, pace: Run['pace']) {
  const authority = secure ? await certificateAuthority('Bench') : undefined
  await using files = await databases.open('sqlite')
  await using tables = await databases.open('postgres')
  await using receiver = await startReceiver(webhooks, authority)
  const callbacks = { port: receiver.port, webhooks, ca: authority?.cert }
  await using bare: Sampled = await startParty('bare-sender.ts', { ...callbacks, inFlight })
  await using sqlite = await startSender(files, callbacks)
  await using postgres = await startSender(tables, callbacks)
  return await interleave({ sqlite, postgres, bare }, secure ? { ...pace, warmMs: pace.warmMs + HANDSHAKES_MS } : pace)
}

/** Drains backlogs through the real parts on each database and runs the bare loop against the same receiver, in turn. */
export async function measureDeliveries(shape: Shape, { pace, databases }: Run): Promise<Line[]> {
  const rates = await measure(shape, databases, pace)
  return flavours.map((flavour) => lineOf(flavour, shape, rates[flavour], rates.bare))
}
