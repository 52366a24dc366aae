import type { Line } from '../figure.ts'
import { interleave, processorOf } from '../interleave.ts'
import { inWords } from '../numbers.ts'
import type { Pace } from '../pace.ts'
import { type Sample, startParty } from '../party.ts'
import { startReceiver } from '../receiver.ts'

interface Shape {
  webhooks: number
  inFlight: number
  /** The least ratio that is good enough. */
  leastRatio: number
}

/** Drains backlogs through the real parts and runs the bare loop against the same receiver, in turn. */
export async function measureDeliveries({ webhooks, inFlight, leastRatio }: Shape, pace: Pace): Promise<Line[]> {
  await using receiver = await startReceiver(webhooks)
  const { port } = receiver
  await using bare = await startParty<{ ms: number }, Sample>('bare-sender.ts', { port, webhooks, inFlight })
  await using postern = await startParty<{ ms: number }, Sample>('postern-sender.ts', { port, webhooks, logLevel: 'warn' })
  const rates = await interleave({ postern, bare }, pace)
  const ratio = rates.postern.perSecond / rates.bare.perSecond
  return [
    {
      what: `Signed deliveries/s, ${inWords(webhooks)} ${webhooks === 1 ? 'webhook' : 'webhooks'}, ${inFlight} in flight`,
      measured: rates.postern.shown,
      limit: `${rates.bare.shown} bare undici`,
      ratio,
      processor: processorOf(rates.postern, rates.bare),
      aim: `ratio ≥ ${leastRatio}`,
      isMet: ratio >= leastRatio,
    },
  ]
}
