import type { Figure, Line } from '../figure.ts'
import { median } from '../median.ts'
import { withSpread } from '../numbers.ts'
import { startParty } from '../party.ts'
import { startPostern } from '../postern-process.ts'
import { residentMb } from '../process-status.ts'
import { startReceiver } from '../receiver.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const WEBHOOKS = 100
const EVENTS = 10_000
const MOST_MB = 150

/** Of one fresh process: when it is ready, and when it has delivered. */
async function posternMb(): Promise<[ready: number, delivered: number]> {
  await using receiver = await startReceiver(WEBHOOKS)
  await using folder = await temporaryFolder()
  await using postern = await startPostern(folder.path)
  const readyMb = await residentMb(postern.pid)
  await postern.seed({ count: WEBHOOKS, port: receiver.port })
  await postern.publish(EVENTS, WEBHOOKS)
  await receiver.received(EVENTS)
  return [readyMb, await residentMb(postern.pid)]
}

async function fastifyMb(): Promise<number> {
  await using fastify = await startParty('bare-fastify.ts', { answer: {} })
  return await residentMb(fastify.pid)
}

export const residentMemory: Figure = {
  name: 'memory',
  limit: `VmRSS of a fresh Postern when it says ready, and when it has delivered ${EVENTS} events of 1 KB to ${WEBHOOKS} webhooks, accepted 500 in a request. Beside it a process with Fastify that listens.`,
  aim: `< ${MOST_MB} MB`,
  async measure({ starts }): Promise<Line[]> {
    const [ready, delivered, fastify] = [[], [], []] as [number[], number[], number[]]
    for (let round = 0; round < starts; round += 1) {
      const [readyMb, deliveredMb] = await posternMb()
      ready.push(readyMb)
      delivered.push(deliveredMb)
      fastify.push(await fastifyMb())
    }
    const shown = (values: number[]) => `${withSpread(median(values), values)} MB`
    const line = (when: string, values: number[]): Line => ({
      what: `Resident memory, ${when}`,
      measured: shown(values),
      limit: `${shown(fastify)} bare Fastify`,
      aim: this.aim,
      isMet: median(values) < MOST_MB,
    })
    return [line('ready', ready), line(`${EVENTS} events delivered`, delivered)]
  },
}
