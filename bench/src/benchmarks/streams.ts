import type { Benchmark, Row, Run } from '../benchmark.ts'
import { besideBaseline } from '../beside-baseline.ts'
import { formatNumber } from '../statistics.ts'
import { measureIdle } from '../streams/measure-idle.ts'
import { measureLines } from '../streams/measure-lines.ts'

const MIN_RATIO = 0.6
const MAX_MB = 400
const IDLE = 5000

const loads = [
  { connections: 1, batch: 64 },
  { connections: 1000, batch: 1 },
  { connections: 1000, batch: 16 },
]

async function lineRow(run: Run, load: (typeof loads)[number]): Promise<Row> {
  const { postern, bare } = await measureLines(run, load)
  return {
    what: `Lines of streams/s, ${formatNumber(load.connections)} connections, ${load.batch} events at once`,
    ...besideBaseline(postern, bare, 'bare node:http', MIN_RATIO),
  }
}

async function idleRow({ databases }: Run): Promise<Row> {
  const { readyMb, idleMb } = await measureIdle(databases, IDLE)
  return {
    what: `Resident memory with ${formatNumber(IDLE)} idle streams of ${formatNumber(IDLE / 2)} apps, SQLite`,
    measured: `${formatNumber(idleMb)} MB`,
    baseline: `${formatNumber(readyMb)} MB before`,
    target: `< ${MAX_MB} MB`,
    isMet: idleMb < MAX_MB,
  }
}

export const streams: Benchmark = {
  name: 'streams',
  method:
    'Events of 1 KB that are handed to streams as after a commit of the event log, each as a line to each connection; two connections an app. The next batch follows once the system has taken the one before. The baseline is node:http that writes the same bytes, already made, to as many connections. The clients only read. Memory: a Postern with default settings, 20 s after the connections were opened.',
  async measure(run) {
    const rows: Row[] = []
    for (const load of loads) rows.push(await lineRow(run, load))
    return [...rows, await idleRow(run)]
  },
}
