import type { Flavour } from '../databases.ts'
import { interleave, type Rate } from '../interleave.ts'
import { type PosternProcess, startPostern } from '../postern-process.ts'
import { microsWithDatabase } from '../process-status.ts'
import type { Run } from '../run.ts'
import { createSignedLoad } from '../sign-in/signed-load.ts'
import { userAuthorizationOf } from '../sign-in/stand.ts'
import { CAMPAIGNS_PATH, campaignsSeed, fillCampaigns } from './stand.ts'

export const PAGE_ROWS = 100
export const FEW_ROWS = 1000
export const IN_FLIGHT = 32

const MOST_PER_MS = 6
const MOST_ROWS_A_PAGE = 1000

const pathOf = (query: Record<string, string>) => `${CAMPAIGNS_PATH}?${new URLSearchParams({ count: String(PAGE_ROWS), ...query })}`

async function pageOf(url: string): Promise<{ next_cursor: string | null }> {
  const response = await fetch(url, { headers: { authorization: userAuthorizationOf(url) } })
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}: ${await response.text()}`)
  return (await response.json()) as { next_cursor: string | null }
}

/** The cursor of the last thousand rows: the list is read up to there as clients read it. */
async function deepCursor({ adsBaseUrl }: PosternProcess, rows: number, order: Record<string, string>): Promise<string> {
  let cursor: string | undefined
  for (let read = 0; read < rows - MOST_ROWS_A_PAGE; read += MOST_ROWS_A_PAGE) {
    const query = { ...order, count: String(MOST_ROWS_A_PAGE), ...(cursor !== undefined && { cursor }) }
    const { next_cursor } = await pageOf(adsBaseUrl + pathOf(query))
    if (next_cursor === null) throw new Error(`the list ended after ${read} rows`)
    cursor = next_cursor
  }
  return cursor!
}

/** The first and a deep page of a long list in two orders, and the first page of a short list. */
export type Pages = Record<'short' | 'first' | 'deep' | 'firstByName' | 'deepByName', Rate>

export async function measurePages(flavour: Flavour, { pace, databases }: Run): Promise<Pages> {
  await using begun = new AsyncDisposableStack()
  const serverWith = async (rows: number) => {
    const database = begun.use(await databases.open(flavour))
    const server = begun.use(await startPostern({ database }))
    await server.load(campaignsSeed)
    await fillCampaigns(database.url, rows)
    const load = (query: Record<string, string> = {}) => {
      const { pid, adsBaseUrl: origin } = server
      const micros = () => microsWithDatabase(pid, database.serverPid)
      return begun.use(createSignedLoad({ pid, micros, origin, path: pathOf(query), inFlight: IN_FLIGHT, mostPerMs: MOST_PER_MS }))
    }
    return { server, load }
  }
  const few = await serverWith(FEW_ROWS)
  const many = await serverWith(pace.rows)
  const byName = { sort_by: 'name-asc' }
  const loads = {
    short: few.load(),
    first: many.load(),
    deep: many.load({ cursor: await deepCursor(many.server, pace.rows, {}) }),
    firstByName: many.load(byName),
    deepByName: many.load({ ...byName, cursor: await deepCursor(many.server, pace.rows, byName) }),
  }
  return await interleave(loads, pace)
}
