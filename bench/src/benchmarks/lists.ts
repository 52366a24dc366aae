import type { Benchmark, Row, Run } from '../benchmark.ts'
import { besideBaseline } from '../beside-baseline.ts'
import { type Engine, engineName, engines } from '../databases.ts'
import { formatCpu, type Rate } from '../interleave.ts'
import { accountList, campaignList, cardList, IN_FLIGHT, measureBesideBare } from '../lists/measure-bare.ts'
import { FEW_ROWS, measurePages, PAGE_ROWS } from '../lists/measure-pages.ts'
import { formatNumber } from '../statistics.ts'

const MAX_RATIO = 1.2
const MIN_BARE_RATIO = 0.25

const bareLists = [
  { list: accountList, named: '`GET /12/accounts`/s', records: 'accounts' },
  { list: campaignList, named: '`GET /12/accounts/:account_id/campaigns`/s', records: 'campaigns' },
  { list: cardList, named: '`GET /12/accounts/:account_id/cards`/s', records: 'cards with their media' },
]

async function bareRow({ list, named, records }: (typeof bareLists)[number], engine: Engine, run: Run): Promise<Row> {
  const { postern, bare } = await measureBesideBare(list, engine, run)
  return {
    what: `Signed ${named}, ${list.records} ${records}, ${IN_FLIGHT} in flight, rate limits off, ${engineName[engine]}`,
    ...besideBaseline(postern, bare, 'bare Fastify', MIN_BARE_RATIO),
  }
}

/** The time of a page beside that of another page. */
function pageRow(what: string, measured: Rate, baseline: Rate, baselineName: string): Row {
  const ratio = baseline.perSecond / measured.perSecond
  const timeOf = ({ perSecond, text }: Rate) => `${formatNumber(1_000_000 / perSecond)} µs, ${text}/s`
  return {
    what,
    measured: timeOf(measured),
    baseline: `${timeOf(baseline)} ${baselineName}`,
    ratio,
    cpu: formatCpu(measured, baseline),
    target: `ratio < ${MAX_RATIO}`,
    isMet: ratio < MAX_RATIO,
  }
}

async function pageRows(engine: Engine, run: Run): Promise<Row[]> {
  const { short, first, deep, firstByName, deepByName } = await measurePages(engine, run)
  const rows = formatNumber(run.config.rows)
  const page = `a page of ${PAGE_ROWS} of ${rows} campaigns`
  return [
    pageRow(`Deep in the list, ${page}, newest first, ${engineName[engine]}`, deep, first, 'the first page'),
    pageRow(`Deep in the list, ${page}, by name, ${engineName[engine]}`, deepByName, firstByName, 'the first page'),
    pageRow(`The first page, ${page}, newest first, ${engineName[engine]}`, first, short, `of ${formatNumber(FEW_ROWS)}`),
  ]
}

export const lists: Benchmark = {
  name: 'lists',
  method: `Signed requests of the advertising API, each with a fresh nonce and signed before the sample; rate limits off. The baseline of the accounts, the campaigns and the cards is Fastify that sends the same bytes with the same headers and checks nothing. A deep page is one of the last thousand rows, reached by following the cursors. Its baseline is the first page of the same list; the baseline of the first page is the first page of a short list, in its own database. The client shares the cores with the server. CPU time is that of the server and PostgreSQL.`,
  async measure(run) {
    const rows: Row[] = []
    for (const list of bareLists) for (const engine of engines) rows.push(await bareRow(list, engine, run))
    for (const engine of engines) rows.push(...(await pageRows(engine, run)))
    return rows
  },
}
