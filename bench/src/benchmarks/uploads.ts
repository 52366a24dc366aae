import type { Benchmark, Row, Run } from '../benchmark.ts'
import { type Engine, engineName, engines } from '../databases.ts'
import { formatNumber, formatSpread, median } from '../statistics.ts'
import { MEGABYTES, measureUploads, SEGMENT_MB, type Upload } from '../uploads/measure-uploads.ts'

const MIN_RATIO = 0.6
const MAX_GROWN_MB = 100

const rates = (uploads: readonly Upload[]) => uploads.map(({ megabytesPerSecond }) => megabytesPerSecond)
const cpuOf = (uploads: readonly Upload[]) => median(uploads.map(({ cpuMs }) => cpuMs))

async function rowsOf(engine: Engine, run: Run): Promise<Row[]> {
  const { whole, segments, bare } = await measureUploads(engine, run)
  const baseline = rates(bare)
  const row = (what: string, uploads: readonly Upload[]): Row => {
    const measured = rates(uploads)
    const ratio = median(measured) / median(baseline)
    return {
      what: `A video of ${MEGABYTES} MB, ${what}, MB/s, ${engineName[engine]}`,
      measured: formatSpread(median(measured), measured),
      baseline: `${formatSpread(median(baseline), baseline)} streamed to disk`,
      ratio,
      cpu: `${formatNumber(cpuOf(uploads))} / ${formatNumber(cpuOf(bare))} ms`,
      target: `ratio > ${MIN_RATIO}`,
      isMet: ratio > MIN_RATIO,
    }
  }
  const grown = [...whole, ...segments].map(({ grownMb }) => grownMb)
  const resident = Math.max(...[...whole, ...segments].map(({ residentMb }) => residentMb))
  return [
    row('in one segment', whole),
    row(`in segments of ${SEGMENT_MB} MB`, segments),
    {
      what: `Memory while it is uploaded: growth, ${engineName[engine]}`,
      measured: `${formatSpread(median(grown), grown)} MB, to at most ${formatNumber(resident)} MB`,
      baseline: `${formatNumber(Math.max(...bare.map(({ grownMb }) => grownMb)))} MB`,
      target: `< ${MAX_GROWN_MB} MB`,
      isMet: Math.max(...grown) < MAX_GROWN_MB,
    },
  ]
}

export const uploads: Benchmark = {
  name: 'uploads',
  method: `A signed upload of a video of ${MEGABYTES} MB, one at a time: INIT, its segments and FINALIZE; every segment is on disk before it is acknowledged. The baseline is node:http that streams the same bytes into one file and syncs it. The client makes the bytes, and shares the cores with the server. CPU time is that of the whole upload, without PostgreSQL.`,
  async measure(run) {
    const rows: Row[] = []
    for (const engine of engines) rows.push(...(await rowsOf(engine, run)))
    return rows
  },
}
