import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { ApiResponseError, TwitterApi } from 'twitter-api-v2'
import { xPathOf } from '../../src/api/declare/dialect.ts'
import { adsEndpoints } from '../../src/endpoints/index.ts'
import { ACCOUNT, adsSeed, FUNDING } from '../stage/ads.ts'
import { freePort } from '../stage/free-port.ts'
import { setStage } from '../stage/postern.ts'
import { adas } from '../stage/signed-calls.ts'
import { startTlsProxy } from '../stage/tls-proxy.ts'

/** Where the client calls, which it cannot be told otherwise. */
const PRODUCTION = 'ads-api.x.com'
const SANDBOX = 'ads-api-sandbox.twitter.com'

/** Postern as those hosts, behind a proxy that ends TLS, and the client with Ada's access token. */
async function asTheirHosts() {
  await using begun = new AsyncDisposableStack()
  const ports = { [PRODUCTION]: await freePort(), [SANDBOX]: await freePort() }
  const environment = {
    POSTERN_DIALECT: 'x',
    POSTERN_ADS_BASE_URL: `https://${PRODUCTION}`,
    POSTERN_ADS_PORT: String(ports[PRODUCTION]),
    POSTERN_ADS_SANDBOX_BASE_URL: `https://${SANDBOX}`,
    POSTERN_ADS_SANDBOX_PORT: String(ports[SANDBOX]),
  }
  begun.use(await setStage({ seed: adsSeed, environment }))
  const { agent } = begun.use(await startTlsProxy([PRODUCTION, SANDBOX], ports))
  const keys = { appKey: adas.consumer_key, appSecret: adas.consumer_secret }
  const client = new TwitterApi({ ...keys, accessToken: adas.oauth_token, accessSecret: adas.oauth_token_secret }, { httpAgent: agent })
  const owned = begun.move()
  return { client, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

/** Ids by the collection that they are in, as the paths of the dialect name it. */
type Made = Record<string, string>
type ParamsOf = (made: Made) => Record<string, string | number | boolean>

const HOUR_MS = 3_600_000
const wholeHour = (fromNow: number) => new Date((Math.floor(Date.now() / HOUR_MS) + fromNow) * HOUR_MS).toISOString()
const ofAccount = '/12/accounts/*'
const lists: ParamsOf = () => ({ count: 10, with_deleted: true, sort_by: 'created_at-asc' })
const withDeleted: ParamsOf = () => ({ with_deleted: true })

/** Every call, each after what it needs: verb and path, with a star for every id. What a POST makes, later calls are about. */
const calls: readonly [route: string, params?: ParamsOf][] = [
  ['POST /12/accounts'],
  ['GET /12/accounts', () => ({ q: 'd', with_total_count: true })],
  [`GET ${ofAccount}`, withDeleted],
  [`PUT ${ofAccount}`, () => ({ name: 'Renamed, & more', industry_type: 'RETAIL' })],
  [`GET ${ofAccount}/authenticated_user_access`],
  [`GET ${ofAccount}/account_apps`, lists],
  ['GET /12/advertiser_business_categories'],
  [`GET ${ofAccount}/curated_categories`, () => ({ country_codes: 'US' })],
  [`GET ${ofAccount}/curated_categories/*`],
  [`POST ${ofAccount}/features`, () => ({ feature_keys: 'REACH_FREQUENCY_CAP,CITY_TARGETING' })],
  [`GET ${ofAccount}/features`, () => ({ feature_keys: 'REACH_FREQUENCY_CAP' })],
  [`DELETE ${ofAccount}/features`, () => ({ feature_keys: 'CITY_TARGETING' })],
  [`POST ${ofAccount}/funding_instruments`, () => ({ type: 'CREDIT_CARD', currency: 'USD', start_time: '2026-01-01T00:00:00Z' })],
  [`GET ${ofAccount}/funding_instruments`, lists],
  [`GET ${ofAccount}/funding_instruments/*`, withDeleted],
  [
    `POST ${ofAccount}/campaigns`,
    ({ funding_instruments = '' }) => ({
      funding_instrument_id: funding_instruments,
      name: 'Spring & more (50%)',
      daily_budget_amount_local_micro: 5_000_000,
    }),
  ],
  [`GET ${ofAccount}/campaigns`, lists],
  [`GET ${ofAccount}/campaigns/*`, withDeleted],
  [`PUT ${ofAccount}/campaigns/*`, () => ({ name: 'Summer' })],
  [
    `POST ${ofAccount}/line_items`,
    ({ campaigns = '' }) => ({
      campaign_id: campaigns,
      name: 'First',
      objective: 'ENGAGEMENTS',
      product_type: 'PROMOTED_TWEETS',
      placements: 'ALL_ON_TWITTER',
      bid_amount_local_micro: 1_000_000,
      start_time: '2026-01-01T00:00:00Z',
      end_time: '2030-01-01T00:00:00Z',
      entity_status: 'PAUSED',
    }),
  ],
  [`GET ${ofAccount}/line_items`, lists],
  [`GET ${ofAccount}/line_items/*`, withDeleted],
  [`PUT ${ofAccount}/line_items/*`, () => ({ name: 'Second' })],
  [
    `POST ${ofAccount}/targeting_criteria`,
    ({ line_items = '' }) => ({ line_item_id: line_items, targeting_type: 'LOCATION', targeting_value: '96683cc9126741d1' }),
  ],
  [`GET ${ofAccount}/targeting_criteria`, ({ line_items = '' }) => ({ line_item_ids: line_items, count: 10 })],
  [`GET ${ofAccount}/targeting_criteria/*`],
  [`POST ${ofAccount}/promoted_tweets`, ({ line_items = '' }) => ({ line_item_id: line_items, tweet_ids: '822333526255120384' })],
  [`GET ${ofAccount}/promoted_tweets`, lists],
  [`GET ${ofAccount}/promoted_tweets/*`],
  [
    `POST ${ofAccount}/line_item_curated_categories`,
    ({ line_items = '', curated_categories = '' }) => ({ line_item_id: line_items, curated_category_id: curated_categories }),
  ],
  [`GET ${ofAccount}/line_item_curated_categories`, lists],
  [`GET ${ofAccount}/line_item_curated_categories/*`],
  [`PUT ${ofAccount}/line_item_curated_categories/*`, ({ curated_categories = '' }) => ({ curated_category_id: curated_categories })],
  [
    `GET ${ofAccount}/account_history`,
    ({ campaigns = '' }) => ({ entity_type: 'CAMPAIGN', entity_id: campaigns, start_time: wholeHour(-1), end_time: wholeHour(1) }),
  ],
  [`DELETE ${ofAccount}/line_item_curated_categories/*`],
  [`DELETE ${ofAccount}/promoted_tweets/*`],
  [`DELETE ${ofAccount}/targeting_criteria/*`],
  [`DELETE ${ofAccount}/line_items/*`],
  [`DELETE ${ofAccount}/campaigns/*`],
  [`DELETE ${ofAccount}/funding_instruments/*`],
  [`DELETE ${ofAccount}`],
]

const routeOf = ({ method, path }: { method: string; path: string }) => `${method} ${xPathOf(path).replace(/:\w+/g, '*')}`

/** A path with the ids of what was made in each collection. */
const filled = (path: string, made: Made) => path.replace(/(\w+)\/\*/g, (_, collection: string) => `${collection}/${made[collection]}`)

/** The names of a value, at any depth, that the dialect spells differently. */
const foreignNames = (value: unknown): string[] =>
  [...JSON.stringify(value).matchAll(/"(\w+)":/g)].map(([, name]) => name!).filter((name) => /(^|_)posts?(_|$)/.test(name))

const hosts = [
  { host: 'production', served: adsEndpoints.filter(({ sandboxOnly }) => !sandboxOnly) },
  { host: 'sandbox', served: adsEndpoints },
] as const

suite('twitter-api-v2, its ads client', () => {
  for (const { host, served } of hosts)
    test(`calls every endpoint of the ${host} host`, async () => {
      await using their = await asTheirHosts()
      const ads = host === 'sandbox' ? their.client.ads.sandbox : their.client.ads
      const made: Made = { accounts: ACCOUNT, funding_instruments: FUNDING, curated_categories: '9ddrgesiap6o' }
      const routes = new Set(served.map(routeOf))
      for (const [route, paramsOf] of calls.filter(([route]) => routes.has(route))) {
        const [method = '', path = ''] = route.split(' ')
        const send = ads[method.toLowerCase() as 'get' | 'post' | 'put' | 'delete'].bind(ads) as typeof ads.post
        const sent = paramsOf?.(made) ?? {}
        const answer = await send(filled(path.slice('/12/'.length), made), sent).catch((error: ApiResponseError) =>
          assert.fail(`${route}: ${JSON.stringify(error.data ?? String(error))}`),
        )
        assert.ok('data' in answer, route)
        assert.deepEqual(
          Object.keys(answer.request.params)
            .filter((name) => name in sent)
            .sort(),
          Object.keys(sent).sort(),
          route,
        )
        assert.deepEqual(foreignNames(answer), [], route)
        const id = [answer.data].flat()[0]?.id
        if (method === 'POST' && id !== undefined) made[path.slice(path.lastIndexOf('/') + 1)] = id
      }
      const called = new Set(calls.map(([route]) => route))
      assert.deepEqual(
        [...routes].filter((route) => !called.has(route)),
        [],
        'endpoints that have no line among the calls',
      )
    })

  test('learns what is wrong, and how often it may still call', async () => {
    await using their = await asTheirHosts()
    const refusal = await their.client.ads.post(`accounts/${ACCOUNT}/campaigns`, { name: 'x' }).catch((error) => error)
    assert.ok(refusal instanceof ApiResponseError, String(refusal))
    assert.equal(refusal.code, 400)
    assert.deepEqual(refusal.data, {
      errors: [
        {
          code: 'MISSING_PARAMETER',
          message: '"funding_instrument_id" is a required parameter',
          parameter: 'funding_instrument_id',
        },
      ],
      request: { params: { account_id: ACCOUNT, name: 'x' } },
    } as object)
    const { rateLimit } = await their.client.ads.get('accounts', undefined, { fullResponse: true })
    assert.deepEqual([rateLimit?.limit, rateLimit?.remaining], [2000, 1999])
  })
})
