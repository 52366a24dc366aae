import { startBareFastify } from '../bare-fastify.ts'
import { type Databases, type Flavour, flavours, nameOf } from '../databases.ts'
import type { Figure, Line } from '../figure.ts'
import { inTurn } from '../interleave.ts'
import { median } from '../median.ts'
import { inWords, withSpread } from '../numbers.ts'
import { startPostern } from '../postern-process.ts'
import { residentMb } from '../process-status.ts'
import { startReceiver } from '../receiver.ts'

const WEBHOOKS = 100
const EVENTS = 10_000
const MOST_MB = 150

interface Memory {
  readyMb: number
  deliveredMb: number
}

/** Of one fresh process: when it is ready, and when it has delivered. */
async function lookAtPostern(flavour: Flavour, databases: Databases): Promise<Memory> {
  await using database = await databases.open(flavour)
  await using postern = await startPostern({ database })
  await using receiver = await startReceiver(WEBHOOKS)
  const readyMb = await residentMb(postern.pid)
  await postern.seed({ count: WEBHOOKS, port: receiver.port })
  await postern.publish(EVENTS, WEBHOOKS)
  await receiver.take(EVENTS)
  return { readyMb, deliveredMb: await residentMb(postern.pid) }
}

async function lookAtFastify(): Promise<Memory> {
  await using fastify = await startBareFastify()
  const mb = await residentMb(fastify.pid)
  return { readyMb: mb, deliveredMb: mb }
}

const shown = (values: number[]) => `${withSpread(median(values), values)} MB`

export const residentMemory: Figure = {
  name: 'memory',
  limit: `VmRSS of a fresh Postern when it says ready, and when it has delivered ${inWords(EVENTS)} events of 1 KB to ${WEBHOOKS} webhooks, accepted 500 in a request; without PostgreSQL's own. Beside it a process with Fastify that listens.`,
  async measure({ pace, databases }) {
    const looks = await inTurn(pace.starts, {
      sqlite: () => lookAtPostern('sqlite', databases),
      postgres: () => lookAtPostern('postgres', databases),
      fastify: lookAtFastify,
    })
    const line = (when: string, flavour: Flavour, of: (memory: Memory) => number): Line => {
      const values = looks[flavour].map(of)
      return {
        what: `Resident memory, ${when}, ${nameOf[flavour]}`,
        measured: shown(values),
        limit: `${shown(looks.fastify.map(of))} bare Fastify`,
        aim: `< ${MOST_MB} MB`,
        isMet: median(values) < MOST_MB,
      }
    }
    return flavours.flatMap((flavour) => [
      line('ready', flavour, ({ readyMb }) => readyMb),
      line(`${inWords(EVENTS)} events delivered`, flavour, ({ deliveredMb }) => deliveredMb),
    ])
  },
}
