import type { Benchmark, Row, Run } from '../benchmark.ts'
import { besideBaseline } from '../beside-baseline.ts'
import { type Engine, engineName, engines } from '../databases.ts'
import { formatCpu } from '../interleave.ts'
import { measureSearch } from '../posts/measure-search.ts'
import { IN_FLIGHT, measureShaped, measureTimelines, POSTS, type ServedWorld, serveWorld } from '../posts/measure-shaped.ts'
import { formatNumber } from '../statistics.ts'

const MIN_SHAPED: Record<Engine, number> = { sqlite: 0.4, postgres: 0.25 }
const MAX_TIMELINE = 1.2

async function shapedRows(engine: Engine, run: Run): Promise<Row[]> {
  const { postern, byHand, bare } = await measureShaped(engine, run)
  const what = `\`GET /2/posts\`/s with a bearer token, ${POSTS} posts with author and media, ${IN_FLIGHT} in flight, ${engineName[engine]}`
  return [
    { what, ...besideBaseline(postern, bare, 'bare Fastify', MIN_SHAPED[engine]) },
    { what, ...besideBaseline(postern, byHand, 'a handler written by hand') },
  ]
}

async function timelineRow(engine: Engine, run: Run, world: ServedWorld): Promise<Row> {
  const { many, few } = await measureTimelines(engine, run, world)
  const ratio = few.perSecond / many.perSecond
  return {
    what: `A page of a user's posts, of ${formatNumber(run.config.rows)} posts, ${IN_FLIGHT} in flight, ${engineName[engine]}`,
    measured: `${formatNumber(1_000_000 / many.perSecond)} µs, ${many.text}/s`,
    baseline: `${formatNumber(1_000_000 / few.perSecond)} µs, ${few.text}/s of 1,000 posts`,
    ratio,
    cpu: formatCpu(many, few),
    target: `ratio < ${MAX_TIMELINE}`,
    isMet: ratio < MAX_TIMELINE,
  }
}

const MAX_SEARCH = 1.5

async function searchRows(engine: Engine, run: Run, { database, server, headers }: ServedWorld): Promise<Row[]> {
  const times = await measureSearch(engine, run, database, server, headers)
  return Object.entries(times).map(([name, { postern, straight }]) => ({
    what: `Recent search of a ${name} word, of ${formatNumber(run.config.rows)} posts, one at a time, p50, ${engineName[engine]}`,
    measured: `${formatNumber(postern * 1000)} µs`,
    baseline: `${formatNumber(straight * 1000)} µs straight in the database`,
    ratio: postern / straight,
    target: `ratio ≤ ${MAX_SEARCH}`,
    isMet: postern / straight <= MAX_SEARCH,
  }))
}

export const posts: Benchmark = {
  name: 'posts',
  method: `Data objects of a generated world, read with a bearer token; rate limits off. The baseline of the ${POSTS} posts is Fastify that sends the same bytes with the same headers; the second one is a Fastify handler that reads the same rows with three prepared statements, makes objects of them and writes them as JSON, without credentials, selection or visibility. The page of a user's posts is the first of the user with the most posts; its baseline is the same page in a small world, in a database of its own. The baseline of a search is the same query with its ten posts on a connection of the client's own; it has no HTTP, no author and no JSON. CPU time is that of the server and PostgreSQL.`,
  async measure(run) {
    const rows: Row[] = []
    for (const engine of engines) rows.push(...(await shapedRows(engine, run)))
    for (const engine of engines) {
      await using world = await serveWorld(engine, run, run.config.rows)
      rows.push(await timelineRow(engine, run, world), ...(await searchRows(engine, run, world)))
    }
    return rows
  },
}
