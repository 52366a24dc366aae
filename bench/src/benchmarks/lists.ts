import { Campaign } from '../../../server/src/endpoints/ads/resources/campaign.ts'
import type { SeedDocument } from '../../../server/src/endpoints/operator/seed/seed-document.ts'
import { fillRecords, recordOf } from '../../../server/test/stage/fill-records.ts'
import { rawRows } from '../../../server/test/storage/samples.ts'
import { type Engine, engineName, engines } from '../databases.ts'
import { signInSeed, USER_ID, userAuthorizationOf } from '../fixtures.ts'
import { createGetLoad, createSignedLoad, IN_FLIGHT, recordResponse, startBareFastify } from '../http-load.ts'
import { formatCpu, formatNumber, interleave, type Rate } from '../measure.ts'
import { startPostern } from '../postern-process.ts'
import { type Benchmark, besideBaseline, type Row, type Run } from '../report.ts'

const ACCOUNTS = 200
const PAGE_ROWS = 100
const MAX_ROWS_PER_PAGE = 1000
const MIN_BARE_RATIO = 0.25
const MAX_PAGE_RATIO = 1.2
const ACCOUNT = 'longlist'
const FUNDING = 'f1'

const members = [{ user_id: USER_ID, role: 'ACCOUNT_ADMIN' }]

const seedWith = (accounts: object[]) =>
  ({ ...signInSeed, apps: signInSeed.apps?.map((app) => ({ ...app, ads_access: true })), accounts }) as SeedDocument

const ROWS_PER_BATCH = 20_000

/** Inserts so many campaigns with distinct names directly into the database, then updates its statistics (`analyze`), as autovacuum would. */
async function fillCampaigns(url: string, count: number) {
  for (let from = 0; from < count; from += ROWS_PER_BATCH) {
    const numbers = Array.from({ length: Math.min(ROWS_PER_BATCH, count - from) }, (_, place) => from + place)
    const records = numbers.map((n) => {
      const name = `Campaign ${Math.imul(n, 2_654_435_761) >>> 0}`
      const budgets = { daily_budget_amount_local_micro: (n % 1000) * 1_000_000, total_budget_amount_local_micro: (n % 5000) * 30_000_000 }
      return { ...recordOf(Campaign, n, 'n'), ...budgets, name, deleted: false, funding_instrument_id: FUNDING }
    })
    await fillRecords(url, Campaign, { account_id: ACCOUNT }, records)
  }
  await rawRows(url, 'analyze')
}

/** Fastify that sends what a URL of Postern answers. */
const startBare = async (url: string) => startBareFastify(await recordResponse(url, { authorization: userAuthorizationOf(url) }))

const besideBare = (list: string, engine: Engine, postern: Rate, bare: Rate): Row => ({
  what: `Signed ${list}, ${IN_FLIGHT} in flight, rate limits off, ${engineName[engine]}`,
  ...besideBaseline(postern, bare, 'bare Fastify', MIN_BARE_RATIO),
})

async function accountsRow(engine: Engine, { config, databases }: Run): Promise<Row> {
  await using database = await databases.open(engine)
  await using server = await startPostern({ database })
  await server.load(
    seedWith(Array.from({ length: ACCOUNTS }, (_, place) => ({ id: `a${place.toString(36)}`, name: `Account ${place}`, members }))),
  )
  const path = '/12/accounts'
  await using fastify = await startBare(server.adsBaseUrl + path)
  await using postern = createSignedLoad(server, server.adsBaseUrl + path)
  await using bare = createGetLoad(fastify, fastify.url + path)
  const rates = await interleave({ postern, bare }, config)
  return besideBare(`\`GET ${path}\`/s, ${ACCOUNTS} accounts`, engine, rates.postern, rates.bare)
}

/** The cursor of the last thousand rows, found by reading the list as clients do. */
async function deepCursor(list: string, rows: number): Promise<string> {
  let cursor = ''
  for (let read = 0; read < rows - MAX_ROWS_PER_PAGE; read += MAX_ROWS_PER_PAGE) {
    const url = `${list}?${new URLSearchParams({ count: String(MAX_ROWS_PER_PAGE), ...(cursor !== '' && { cursor }) })}`
    const response = await fetch(url, { headers: { authorization: userAuthorizationOf(url) } })
    cursor = ((await response.json()) as { next_cursor: string }).next_cursor
    if (!cursor) throw new Error(`${url} responded ${response.status} without a cursor after ${read} rows`)
  }
  return cursor
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
    target: `ratio < ${MAX_PAGE_RATIO}`,
    isMet: ratio < MAX_PAGE_RATIO,
  }
}

/** A short list beside bare Fastify, and pages of a long one. */
async function campaignRows(engine: Engine, { config, databases }: Run): Promise<Row[]> {
  await using stack = new AsyncDisposableStack()
  const listOf = async (rows: number) => {
    const database = stack.use(await databases.open(engine))
    const server = stack.use(await startPostern({ database }))
    const funding_instruments = [{ id: FUNDING, type: 'CREDIT_CARD', currency: 'USD' }]
    await server.load(seedWith([{ id: ACCOUNT, name: 'Long list', members, funding_instruments }]))
    await fillCampaigns(database.url, rows)
    const list = `${server.adsBaseUrl}/12/accounts/${ACCOUNT}/campaigns`
    const load = (url: string) => stack.use(createSignedLoad(server, url))
    return { list, first: `${list}?count=${PAGE_ROWS}`, load }
  }
  const few = await listOf(PAGE_ROWS)
  const many = await listOf(config.rows)
  const fastify = stack.use(await startBare(few.first))
  const rates = await interleave(
    {
      few: few.load(few.first),
      bare: stack.use(createGetLoad(fastify, fastify.url + new URL(few.first).pathname)),
      first: many.load(many.first),
      deep: many.load(`${many.first}&cursor=${encodeURIComponent(await deepCursor(many.list, config.rows))}`),
    },
    config,
  )
  const page = `a page of ${PAGE_ROWS} of ${formatNumber(config.rows)} campaigns, newest first, ${engineName[engine]}`
  return [
    besideBare(`\`GET /12/accounts/:account_id/campaigns\`/s, ${PAGE_ROWS} campaigns`, engine, rates.few, rates.bare),
    pageRow(`Deep in the list, ${page}`, rates.deep, rates.first, 'the first page'),
    pageRow(`The first page, ${page}`, rates.first, rates.few, `of ${PAGE_ROWS}`),
  ]
}

export const lists: Benchmark = {
  name: 'lists',
  method:
    'Signed requests of the advertising API, each with a fresh nonce and signed before the sample; rate limits off. The baseline of the accounts and the campaigns is Fastify that sends the same bytes with the same headers and checks nothing. A deep page is one of the last thousand rows, reached by following the cursors. Its baseline is the first page of the same list; the baseline of the first page is that of a short list, in its own database. The client shares the cores with the server. CPU time is that of the server and PostgreSQL.',
  async measure(run) {
    const rows: Row[] = []
    for (const engine of engines) rows.push(await accountsRow(engine, run))
    for (const engine of engines) rows.push(...(await campaignRows(engine, run)))
    return rows
  },
}
