import { writeWorld } from '../../../server/scripts/world/write-world.ts'
import { Campaign } from '../../../server/src/endpoints/ads/resources/campaign.ts'
import { Card } from '../../../server/src/endpoints/ads/resources/card.ts'
import { recordTypes } from '../../../server/src/endpoints/index.ts'
import type { SeedDocument } from '../../../server/src/endpoints/operator/seed/seed-document.ts'
import { createClock } from '../../../server/src/lib/clock.ts'
import { createSeal } from '../../../server/src/lib/seal.ts'
import { openStorage } from '../../../server/src/storage/sql/open-storage.ts'
import { type AnyRecord, fillRecords, recordOf } from '../../../server/test/stage/fill-records.ts'
import { rawRows } from '../../../server/test/storage/samples.ts'
import { type Database, type Engine, engineName, engines } from '../databases.ts'
import { CONSUMER_KEY, signInSeed, tokenArgument, USER_ID, userAuthorizationOf } from '../fixtures.ts'
import { createGetLoad, createSignedLoad, IN_FLIGHT } from '../http-load.ts'
import { interleave } from '../measure.ts'
import { BENCH_SECRET, forwardedFrom, publicOrigins, startPostern } from '../postern-process.ts'
import { type Benchmark, besideHand, type Row, type Run } from '../report.ts'
import { startWorker } from '../worker.ts'
import type { HandWrittenArgument } from '../workers/hand-written.ts'

const ACCOUNT = 'longlist'
const FUNDING = 'f1'
const [ACCOUNTS, CAMPAIGNS, CARDS, POSTS, WEBHOOKS] = [200, 100, 200, 100, 5]
const WORLD = { users: 50, posts: 5000, random: 1 }
const SHAPE =
  'post.fields=created_at,public_metrics,entities&expansions=author_id,attachments.media_keys&user.fields=verified&media.fields=url,width,height'

/** So high that no request is refused: limits are counted. */
const rateLimits = Object.fromEntries(
  ['adsCoreReads', 'adsReads', 'adsTotals', 'listPosts', 'listUserPosts', 'usersMe', 'listWebhooks'].map((name) => [
    name,
    Number.MAX_SAFE_INTEGER,
  ]),
)

async function fillPosts({ url }: Database) {
  const clock = createClock()
  const storage = await openStorage({ url, clock, seal: createSeal([BENCH_SECRET]), recordTypes })
  try {
    await writeWorld(storage.content, { ...WORLD, untilMs: clock.now() })
  } finally {
    await storage.close()
  }
}

const members = [{ user_id: USER_ID, role: 'ACCOUNT_ADMIN' }]

/** An account with what is listed, among so many accounts of the user; and webhooks. */
const seed = {
  ...signInSeed,
  webhooks: Array.from({ length: WEBHOOKS }, (_, place) => ({
    id: String(5_000_000 + place),
    consumer_key: CONSUMER_KEY,
    url: `https://hooks-${place}.bench.example/webhook`,
    valid: true,
  })),
  apps: signInSeed.apps?.map((app) => ({ ...app, ads_access: true })),
  accounts: Array.from({ length: ACCOUNTS }, (_, place) =>
    place === 0
      ? { id: ACCOUNT, name: 'Long list', members, funding_instruments: [{ id: FUNDING, type: 'CREDIT_CARD', currency: 'USD' }] }
      : { id: `a${place.toString(36)}`, name: `Account ${place}`, members },
  ),
} as SeedDocument

async function fillAccount({ url }: Database) {
  const campaigns = Array.from({ length: CAMPAIGNS }, (_, n): AnyRecord => {
    const budgets = { daily_budget_amount_local_micro: n * 1_000_000, total_budget_amount_local_micro: n * 30_000_000 }
    return { ...recordOf(Campaign, n, 'n'), ...budgets, name: `Campaign ${n}`, deleted: false, funding_instrument_id: FUNDING }
  })
  await fillRecords(url, Campaign, { account_id: ACCOUNT }, campaigns)
  const photos = await rawRows(url, `select media_key as key from media where type = 'photo' order by media_key limit ${CARDS}`)
  const cards = Array.from({ length: CARDS }, (_, n): AnyRecord => {
    const details = { type: 'DETAILS', title: `Card ${n}`, destination: { type: 'WEBSITE', url: 'https://example.com/' } }
    const components = [{ type: 'MEDIA', media_key: photos[n % photos.length]!.key }, details]
    return {
      ...recordOf(Card, n, 'n'),
      name: `Card ${n}`,
      deleted: false,
      card_type: 'IMAGE_WEBSITE',
      slides: null,
      components,
      kind: 'COMPONENT',
    }
  })
  await fillRecords(url, Card, { account_id: ACCOUNT }, cards)
  await rawRows(url, 'analyze')
}

interface Asked {
  /** What is read, and the ratio of CPU time that it may take. */
  what: string
  path: string
  most: number
  host?: 'ads' | 'general'
  isSigned?: boolean
}

async function askedOf({ url }: Database): Promise<Asked[]> {
  const ids = await rawRows(
    url,
    `select cast(id as text) as id from posts where media_keys is not null order by posts.id desc limit ${POSTS}`,
  )
  const [author] = await rawRows(url, 'select user_id as id from profiles order by post_count desc limit 1')
  const list = `/12/accounts/${ACCOUNT}`
  return [
    { what: `\`GET /12/accounts\`, ${ACCOUNTS} accounts`, path: '/12/accounts', most: 1.5, host: 'ads', isSigned: true },
    { what: `Campaigns, a page of ${CAMPAIGNS}`, path: `${list}/campaigns?count=${CAMPAIGNS}`, most: 1.5, host: 'ads', isSigned: true },
    { what: `Cards with media, a page of ${CARDS}`, path: `${list}/cards?count=${CARDS}`, most: 2, host: 'ads', isSigned: true },
    { what: `\`GET /2/posts\`, ${POSTS} posts with author and media`, path: `/2/posts?ids=${ids.map(({ id }) => id)}&${SHAPE}`, most: 1.5 },
    { what: 'A page of 100 posts of a user', path: `/2/users/${author!.id}/posts?max_results=100&${SHAPE}`, most: 1.5 },
    { what: '`GET /2/users/me`', path: '/2/users/me', most: 1.3, isSigned: true },
    { what: `\`GET /2/webhooks\`, ${WEBHOOKS} webhooks`, path: '/2/webhooks', most: 1.3 },
  ]
}

/** Throws unless both answer the same text: the yardstick does the same work. */
async function assertSame(one: string, other: string, headersOf: () => Record<string, string>) {
  const [expected, answered] = await Promise.all([one, other].map(async (url) => (await fetch(url, { headers: headersOf() })).text()))
  if (expected !== answered)
    throw new Error(`${other} answers\n${answered!.slice(0, 2000)}\nwhere Postern answers\n${expected!.slice(0, 2000)}`)
}

async function rowsOf(engine: Engine, { config, databases }: Run): Promise<Row[]> {
  await using database = await databases.open(engine)
  await fillPosts(database)
  await using server = await startPostern({ database, rateLimits, inProduction: true })
  await server.load(seed)
  await fillAccount(database)
  const bearerToken = await server.bearerToken()
  const argument: HandWrittenArgument = { ...tokenArgument, url: database.url, bearerToken }
  await using worker = await startWorker<object, { url: string }>('workers/hand-written.ts', argument)
  const byHand = { pid: worker.pid, databasePid: database.databasePid, url: (await worker.call({})).url }
  const rows: Row[] = []
  for (const { what, path, most, host = 'general', isSigned } of await askedOf(database)) {
    const [own, other] = [(host === 'ads' ? server.adsBaseUrl : server.baseUrl) + path, byHand.url + path]
    const [url, forwarded] = [publicOrigins[host] + path, forwardedFrom(publicOrigins[host])]
    const authorizationOf = () => (isSigned ? userAuthorizationOf(url) : `Bearer ${bearerToken}`)
    const headersOf = () => ({ authorization: authorizationOf(), ...forwarded })
    await assertSame(own, other, headersOf)
    const loadOf = (of: typeof server | typeof byHand, at: string) =>
      isSigned ? createSignedLoad(of, at, url, forwarded) : createGetLoad(of, at, headersOf())
    await using postern = loadOf(server, own)
    await using hand = loadOf(byHand, other)
    const rates = await interleave({ postern, hand }, config)
    rows.push({ what: `${what}, ${IN_FLIGHT} in flight, ${engineName[engine]}`, ...besideHand(rates.postern, rates.hand, most) })
  }
  return rows
}

export const byHand: Benchmark = {
  name: 'by-hand',
  method:
    'Requests with credentials and rate limits in the production profile, behind a proxy, against a server written by hand for these seven endpoints: Fastify, prepared statements on the same rows, and `JSON.stringify`. It keeps the same promises for them (its head names them), and both must answer the same bytes. It has no soft deletes, selection of fields, dialects, key rotation, fair turns or metrics. The ratio is that of the CPU time of an operation, server and PostgreSQL.',
  async measure(run) {
    const rows: Row[] = []
    for (const engine of engines) rows.push(...(await rowsOf(engine, run)))
    return rows
  },
}
