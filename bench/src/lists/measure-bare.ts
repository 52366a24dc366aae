import type { SeedDocument } from '../../../server/src/endpoints/operator/seed/seed-document.ts'
import { recordResponse, startBareFastify } from '../bare-fastify.ts'
import type { Run } from '../benchmark.ts'
import type { Engine } from '../databases.ts'
import { createHttpLoad } from '../http-load.ts'
import { interleave, type Rate } from '../interleave.ts'
import { startPostern } from '../postern-process.ts'
import { cpuMicrosOf, cpuMicrosWithDatabase } from '../process-status.ts'
import { userAuthorizationOf } from '../sign-in/fixtures.ts'
import { createSignedLoad } from '../sign-in/signed-load.ts'
import { ACCOUNTS_PATH, accountsSeed, CAMPAIGNS_PATH, CARDS_PATH, campaignsSeed, cardsSeed, fillCampaigns } from './fixtures.ts'

const RECORDS = 200
const CAMPAIGNS = 100
export const IN_FLIGHT = 32

const MAX_PER_MS = 4

/** A list of so many records, and the seed that has them; `fill` adds those that it lacks. */
interface List {
  path: string
  records: number
  seed: SeedDocument
  fill?: (url: string) => Promise<void>
}

export const accountList: List = { path: ACCOUNTS_PATH, records: RECORDS, seed: accountsSeed(RECORDS) }
export const campaignList: List = {
  path: `${CAMPAIGNS_PATH}?count=${CAMPAIGNS}`,
  records: CAMPAIGNS,
  seed: campaignsSeed,
  fill: (url) => fillCampaigns(url, CAMPAIGNS),
}
export const cardList: List = { path: CARDS_PATH(RECORDS), records: RECORDS, seed: cardsSeed(RECORDS) }

/** Measures a signed list from Postern, and the same bytes and headers from bare Fastify. */
export async function measureBesideBare(
  { path, seed, fill }: List,
  engine: Engine,
  { config, databases }: Run,
): Promise<Record<'postern' | 'bare', Rate>> {
  await using database = await databases.open(engine)
  await using server = await startPostern({ database })
  await server.load(seed)
  await fill?.(database.url)
  const { adsBaseUrl: origin, pid } = server
  const response = await recordResponse(origin + path, { authorization: userAuthorizationOf(origin + path) })
  await using fastify = await startBareFastify(response)
  const ours = { pid, inFlight: IN_FLIGHT, cpuMicros: () => cpuMicrosWithDatabase(pid, database.databasePid) }
  await using postern = createSignedLoad({ ...ours, origin, path, maxPerMs: MAX_PER_MS })
  await using bare = createHttpLoad({
    pid: fastify.pid,
    inFlight: IN_FLIGHT,
    status: 200,
    cpuMicros: () => cpuMicrosOf(fastify.pid),
    request: { origin: fastify.url, path, method: 'GET' },
  })
  return await interleave({ postern, bare }, config)
}
