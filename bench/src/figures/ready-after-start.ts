import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Figure, Line } from '../figure.ts'
import { median } from '../median.ts'
import { withSpread } from '../numbers.ts'
import { startParty } from '../party.ts'
import { emptyFolder, startPostern } from '../postern-process.ts'
import { startReceiver } from '../receiver.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const WEBHOOKS = 1000
const EVENTS = 10_000

async function timed(start: () => Promise<AsyncDisposable | undefined>): Promise<number> {
  const startedMs = performance.now()
  const started = await start()
  const passedMs = performance.now() - startedMs
  await started?.[Symbol.asyncDispose]()
  return passedMs
}

async function posternReadyMs(folder: string): Promise<number> {
  await using postern = await startPostern(folder)
  return postern.readyMs
}

async function fill(folder: string) {
  await using receiver = await startReceiver(WEBHOOKS)
  await using postern = await startPostern(folder)
  await postern.seed({ count: WEBHOOKS, port: receiver.port })
  await postern.publish(EVENTS, WEBHOOKS)
  await receiver.received(EVENTS)
}

export const readyAfterStart: Figure = {
  name: 'ready',
  limit: `From the spawn of \`node server/src/main.ts\` to its line \`ready\`, in a folder without anything and in one with ${WEBHOOKS} webhooks and ${EVENTS} delivered events. Beside it \`node -e 0\` from spawn to end, and a process with Fastify from spawn to listening.`,
  aim: '–',
  async measure({ starts }): Promise<Line[]> {
    await using folder = await temporaryFolder()
    await using filled = await temporaryFolder()
    await fill(filled.path)
    const taken = { node: [], fastify: [], empty: [], filled: [] } as Record<'node' | 'fastify' | 'empty' | 'filled', number[]>
    for (let round = 0; round < starts; round += 1) {
      taken.node.push(await timed(() => promisify(execFile)(process.execPath, ['-e', '0']).then(() => undefined)))
      taken.fastify.push(await timed(() => startParty('bare-fastify.ts', { answer: {} })))
      taken.empty.push(await posternReadyMs(await emptyFolder(folder.path)))
      taken.filled.push(await posternReadyMs(filled.path))
    }
    const shown = (values: number[]) => `${withSpread(median(values), values)} ms`
    const limit = `${shown(taken.node)} node, ${shown(taken.fastify)} bare Fastify`
    return [
      { what: 'Ready after the start, empty folder', measured: shown(taken.empty), limit, aim: '–' },
      { what: `Ready after the start, ${WEBHOOKS} webhooks and ${EVENTS} events`, measured: shown(taken.filled), limit, aim: '–' },
    ]
  },
}
