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
  /** The least ratio that is good enough. */
  leastRatio: Record<Flavour, number>
}

const startSender = ({ url, serverPid }: Database, port: number, webhooks: number): Promise<Sampled> =>
  startParty('postern-sender.ts', { url, serverPid, port, webhooks } satisfies SenderArgument)

const lineOf = (flavour: Flavour, { webhooks, inFlight, leastRatio }: Shape, postern: Rate, bare: Rate): Line => {
  const ratio = postern.perSecond / bare.perSecond
  return {
    what: `Signed deliveries/s, ${inWords(webhooks)} ${webhooks === 1 ? 'webhook' : 'webhooks'}, ${inFlight} in flight, ${nameOf[flavour]}`,
    measured: postern.shown,
    limit: `${bare.shown} bare undici`,
    ratio,
    processor: processorOf(postern, bare),
    aim: `ratio ≥ ${leastRatio[flavour]}`,
    isMet: ratio >= leastRatio[flavour],
  }
}

async function measure({ webhooks, inFlight }: Shape, databases: Databases, pace: Run['pace']) {
  await using files = await databases.open('sqlite')
  await using tables = await databases.open('postgres')
  await using receiver = await startReceiver(webhooks)
  const { port } = receiver
  await using bare: Sampled = await startParty('bare-sender.ts', { port, webhooks, inFlight })
  await using sqlite = await startSender(files, port, webhooks)
  await using postgres = await startSender(tables, port, webhooks)
  return await interleave({ sqlite, postgres, bare }, pace)
}

/** Drains backlogs through the real parts on each database and runs the bare loop against the same receiver, in turn. */
export async function measureDeliveries(shape: Shape, { pace, databases }: Run): Promise<Line[]> {
  const rates = await measure(shape, databases, pace)
  return flavours.map((flavour) => lineOf(flavour, shape, rates[flavour], rates.bare))
}
