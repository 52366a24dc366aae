import type { Run } from '../benchmark.ts'
import type { Engine } from '../databases.ts'
import { interleave, type Rate } from '../interleave.ts'
import { type PosternProcess, startPostern } from '../postern-process.ts'
import { cpuMicrosWithDatabase } from '../process-status.ts'
import { userAuthorizationOf } from '../sign-in/fixtures.ts'
import { createSignedLoad } from '../sign-in/signed-load.ts'
import { CAMPAIGNS_PATH, campaignsSeed, fillCampaigns } from './fixtures.ts'

export const PAGE_ROWS = 100
export const FEW_ROWS = 1000
export const IN_FLIGHT = 32

const MAX_PER_MS = 6
const MAX_ROWS_PER_PAGE = 1000

const pathOf = (query: Record<string, string>) => `${CAMPAIGNS_PATH}?${new URLSearchParams({ count: String(PAGE_ROWS), ...query })}`

async function pageOf(url: string): Promise<{ next_cursor: string | null }> {
  const response = await fetch(url, { headers: { authorization: userAuthorizationOf(url) } })
  if (response.status !== 200) throw new Error(`${url} responded ${response.status}: ${await response.text()}`)
  return (await response.json()) as { next_cursor: string | null }
}

/** The cursor of the last thousand rows, found by reading the list as clients do. */
async function deepCursor({ adsBaseUrl }: PosternProcess, rows: number, order: Record<string, string>): Promise<string> {
  let cursor: string | undefined
  for (let read = 0; read < rows - MAX_ROWS_PER_PAGE; read += MAX_ROWS_PER_PAGE) {
    const query = { ...order, count: String(MAX_ROWS_PER_PAGE), ...(cursor !== undefined && { cursor }) }
    const { next_cursor } = await pageOf(adsBaseUrl + pathOf(query))
    if (next_cursor === null) throw new Error(`the list ended after ${read} rows`)
    cursor = next_cursor
  }
  return cursor!
}

/** The first and a deep page of a long list in two orders, and the first page of a short list. */
export type Pages = Record<'short' | 'first' | 'deep' | 'firstByName' | 'deepByName', Rate>

/** Measures pages of a long and a short list of campaigns. */
export async function measurePages(engine: Engine, { config, databases }: Run): Promise<Pages> {
  await using stack = new AsyncDisposableStack()
  const serverWith = async (rows: number) => {
    const database = stack.use(await databases.open(engine))
    const server = stack.use(await startPostern({ database }))
    await server.load(campaignsSeed)
    await fillCampaigns(database.url, rows)
    const load = (query: Record<string, string> = {}) => {
      const { pid, adsBaseUrl: origin } = server
      const cpuMicros = () => cpuMicrosWithDatabase(pid, database.databasePid)
      return stack.use(createSignedLoad({ pid, cpuMicros, origin, path: pathOf(query), inFlight: IN_FLIGHT, maxPerMs: MAX_PER_MS }))
    }
    return { server, load }
  }
  const few = await serverWith(FEW_ROWS)
  const many = await serverWith(config.rows)
  const byName = { sort_by: 'name-asc' }
  const loads = {
    short: few.load(),
    first: many.load(),
    deep: many.load({ cursor: await deepCursor(many.server, config.rows, {}) }),
    firstByName: many.load(byName),
    deepByName: many.load({ ...byName, cursor: await deepCursor(many.server, config.rows, byName) }),
  }
  return await interleave(loads, config)
}
