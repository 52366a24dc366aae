import { request } from 'undici'
import { termHash } from '../../../server/src/lib/post-text/term-hash.ts'
import { posts } from '../../../server/src/storage/content-tables.ts'
import { createRowReader } from '../../../server/src/storage/sql/content/read-objects.ts'
import { termSearchStatement } from '../../../server/src/storage/sql/content/term-search.ts'
import { postgresFlavour, sqliteFlavour } from '../../../server/src/storage/sql/flavour.ts'
import { rawRows } from '../../../server/test/storage/samples.ts'
import type { Run } from '../benchmark.ts'
import type { Database, Engine } from '../databases.ts'
import type { PosternProcess } from '../postern-process.ts'
import { median } from '../statistics.ts'
import { stopwatch } from '../stopwatch.ts'
import { connect } from './connect.ts'

const RESULTS = 10
const DAY_MS = 86_400_000
const REQUESTS_PER_ROUND = 50
/** A rare word is in about so many posts. */
const RARE = 30

/** A word of the newest posts that is in about as many posts as `wanted`. */
async function wordIn({ url }: Database, wanted: number): Promise<string> {
  const texts = await rawRows(url, 'select text from posts order by id desc limit 300')
  const words = new Set(texts.flatMap(({ text }) => (text as string).toLowerCase().match(/\b[a-z]{5,}\b/g) ?? []))
  let best = { word: '', distance: Number.POSITIVE_INFINITY }
  for (const word of [...words].slice(0, 400)) {
    const [found] = await rawRows(
      url,
      `select count(*) as n from (select 1 as one from post_terms where term = ${termHash(`w:${word}`)} limit 1000) as t`,
    )
    const distance = Math.abs(Number(found!.n) - wanted)
    if (distance < best.distance) best = { word, distance }
  }
  return best.word
}

/** Milliseconds of one search at a time, through Postern and straight in the database: medians. */
export type SearchTimes = Record<'rare' | 'common', { postern: number; straight: number }>

export async function measureSearch(
  engine: Engine,
  { config }: Run,
  database: Database,
  server: PosternProcess,
  headers: Record<string, string>,
): Promise<SearchTimes> {
  const words = { rare: await wordIn(database, RARE), common: 'the' }
  await using connection = await connect(database.url)
  const flavour = engine === 'sqlite' ? sqliteFlavour : postgresFlavour
  const rowsOf = createRowReader({ readRows: connection.readRows, flavour })
  const straight = async (word: string) => {
    const alternatives = [{ all: [String(termHash(`w:${word}`))], none: [String(termHash('is:nullcast'))] }]
    const page = { limit: RESULTS + 1, fromMs: Date.now() - 7 * DAY_MS }
    const { text, values } = termSearchStatement(alternatives, page, 5000)
    const ids = (await connection.readRows(text, values)).map(([id]) => id as string)
    await rowsOf(posts, ['id', 'text', 'more', 'author_id'], ids.slice(0, RESULTS))
  }
  const through = async (word: string) => {
    const { statusCode, body } = await request(`${server.baseUrl}/2/posts/search/recent?max_results=${RESULTS}&query=${word}`, { headers })
    const text = await body.text()
    if (statusCode !== 200) throw new Error(`the search responded ${statusCode}: ${text}`)
  }
  const timesOf = async (word: string) => {
    const times = { postern: [] as number[], straight: [] as number[] }
    for (let round = 0; round <= config.samples; round += 1)
      for (const [name, search] of [
        ['postern', through],
        ['straight', straight],
      ] as const)
        for (let n = 0; n < REQUESTS_PER_ROUND; n += 1) {
          const elapsed = stopwatch()
          await search(word)
          if (round > 0) times[name].push(elapsed().elapsedMs)
        }
    return { postern: median(times.postern), straight: median(times.straight) }
  }
  return { rare: await timesOf(words.rare), common: await timesOf(words.common) }
}
