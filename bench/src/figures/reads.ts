import { type Flavour, nameOf } from '../databases.ts'
import type { Figure, Line } from '../figure.ts'
import { processorOf } from '../interleave.ts'
import { IN_FLIGHT, measureReads, PATH, WEBHOOKS } from '../reads/measure-reads.ts'
import type { Run } from '../run.ts'

interface Shape {
  flavour: Flavour
  limited: boolean
  leastRatio?: number
}

const shapes: readonly Shape[] = [
  { flavour: 'sqlite', limited: false, leastRatio: 0.4 },
  { flavour: 'postgres', limited: false, leastRatio: 0.2 },
  { flavour: 'sqlite', limited: true },
  { flavour: 'postgres', limited: true, leastRatio: 0.18 },
]

async function lineOf({ flavour, limited, leastRatio }: Shape, run: Run): Promise<Line> {
  const { postern, bare } = await measureReads(flavour, limited, run)
  const ratio = postern.perSecond / bare.perSecond
  return {
    what: `\`GET ${PATH}\`/s with a bearer token, ${IN_FLIGHT} in flight, rate limits ${limited ? 'on' : 'off'}, ${nameOf[flavour]}`,
    measured: postern.shown,
    limit: `${bare.shown} bare Fastify`,
    ratio,
    processor: processorOf(postern, bare),
    aim: leastRatio === undefined ? '–' : `ratio ≥ ${leastRatio}`,
    isMet: leastRatio === undefined ? undefined : ratio >= leastRatio,
  }
}

export const reads: Figure = {
  name: 'reads',
  limit: `An app with ${WEBHOOKS} webhooks lists them. The limit is Fastify that answers the same bytes with the same headers. The client shares the cores with the server; processor time is the server's, PostgreSQL included. With rate limits on, the limit is set so high that no request is refused.`,
  async measure(run) {
    const lines: Line[] = []
    for (const shape of shapes) lines.push(await lineOf(shape, run))
    return lines
  },
}
