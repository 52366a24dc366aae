import type { Benchmark, Row, Run } from '../benchmark.ts'
import { roundRobin } from '../interleave.ts'
import { type InstalledPackage, installed } from '../package/installed.ts'
import { emulateStart, inProcessStarts, posternStarts } from '../package/start-times.ts'
import { formatNumber, formatSpread, median } from '../statistics.ts'

const MAX_MEGABYTES = 40
const MAX_READY_MS = 600
const MAX_IN_PROCESS_MS = 150
const MEGABYTE = 1_000_000

const OTHER = 'emulate'

async function measureStarts({ config }: Run, postern: InstalledPackage, emulate: InstalledPackage) {
  const alone = async (start: Promise<number>) => ({ first: await start, later: Number.NaN })
  return roundRobin(config.starts, {
    postern: () => posternStarts(postern),
    emulate: () => alone(emulateStart(emulate)),
    posternInProcess: () => inProcessStarts(postern, 'postern'),
    emulateInProcess: () => inProcessStarts(emulate, 'emulate'),
  })
}

const format = (values: number[]) => `${formatSpread(median(values), values)} ms`

/** A row that has a target, or none. */
const row = (what: string, measured: string, baseline: string, target?: { text: string; isMet: boolean }): Row => ({
  what,
  measured,
  baseline: `${baseline} ${OTHER}`,
  target: target?.text ?? '–',
  ...(target && { isMet: target.isMet }),
})

const below = (values: number[], maxMs: number) => ({ text: `< ${maxMs} ms`, isMet: median(values) < maxMs })

const sizeText = ({ bytes, files }: InstalledPackage) => `${formatNumber(bytes / MEGABYTE)} MB, ${formatNumber(files)} files`
const installText = ({ installMs }: InstalledPackage) => `${formatNumber(installMs / 1000)} s`

export const packaged: Benchmark = {
  name: 'package',
  method: `The packed package \`postern\`, installed by npm into an empty folder with an empty cache, from a registry on loopback; beside \`${OTHER}\` 0.12 from npm, which stands in for fourteen smaller APIs. Sizes are those of all files below \`node_modules\`. A start is from the spawn of \`node\` to the first line with an address: Postern's first one makes secrets and a database with the demo seed, the compile cache is warm but for the first round; ${OTHER} starts all services in memory. In process: the first start includes loading the package, later ones are medians of seven; ${OTHER} starts one service.`,
  async measure(run) {
    await using postern = await installed('postern')
    await using emulate = await installed('emulate')
    const starts = await measureStarts(run, postern, emulate)
    const first = (name: keyof typeof starts) => starts[name].map((start) => start.first)
    const later = (name: keyof typeof starts) => starts[name].map((start) => start.later)
    const maxSize = { text: `< ${MAX_MEGABYTES} MB`, isMet: postern.bytes < MAX_MEGABYTES * MEGABYTE }
    const command = format(first('emulate'))
    return [
      row('Package `postern` with all dependencies, installed', sizeText(postern), sizeText(emulate), maxSize),
      row('`npm install postern`, empty cache, registry on loopback', installText(postern), installText(emulate)),
      row('`postern` to ready, in an empty folder', format(first('postern')), command, below(first('postern'), MAX_READY_MS)),
      row('`postern` to ready, a later start', format(later('postern')), command, below(later('postern'), MAX_READY_MS)),
      row('`startPostern()`, the first in a process', format(first('posternInProcess')), format(first('emulateInProcess'))),
      row(
        '`startPostern()`, later ones in a process',
        format(later('posternInProcess')),
        format(later('emulateInProcess')),
        below(later('posternInProcess'), MAX_IN_PROCESS_MS),
      ),
    ]
  },
}
