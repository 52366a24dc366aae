import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { ApiResponseError, TwitterApi } from 'twitter-api-v2'
import { adsEndpoints } from '../../scripts/all-endpoints.ts'
import { xNameOf, xPathOf } from '../../src/api/declare/dialect.ts'
import type { Endpoint } from '../../src/api/declare/endpoint.ts'
import { object } from '../../src/api/declare/words.ts'
import { ACCOUNT, adsSeed, FUNDING } from '../stage/ads.ts'
import { cup } from '../stage/catalogs.ts'
import { AMPLIFY, media, WIDE_IMAGE } from '../stage/creatives.ts'
import { freePort } from '../stage/free-port.ts'
import { setStage } from '../stage/postern.ts'
import { ada } from '../stage/sign-in.ts'
import { adas } from '../stage/signed-calls.ts'
import { startTlsProxy } from '../stage/tls-proxy.ts'

const endpoints = adsEndpoints as unknown as readonly Endpoint[]

const details = { type: 'DETAILS', title: 'Cups', destination: { type: 'WEBSITE', url: 'https://shop.example/' } }

const CURATED_CATEGORY = '9ddrgesiap6o'

/** Where the client calls, which it cannot be told otherwise. */
const PRODUCTION = 'ads-api.x.com'
const SANDBOX = 'ads-api-sandbox.twitter.com'

/** The features that creatives need. */
const FEATURES = ['PROMOTED_MEDIA_POLLS', 'CONVERSATION_CARD'] as const

/** Accounts of both hosts that audiences are shared with. */
const partners = ['one', 'two'].flatMap((name) => [
  { id: `${name}p`, name, business_id: 'b1' },
  { id: `${name}s`, name, sandbox: true },
])
const seed = {
  ...adsSeed,
  accounts: [
    ...(adsSeed.accounts ?? []).map((account) => ({
      ...account,
      business_id: 'b1',
      features: [...FEATURES],
      promotable_users: [{ id: 'pu1', user_id: ada.id, promotable_user_type: 'FULL' }],
    })),
    ...partners,
  ],
  media,
} as typeof adsSeed

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
  begun.use(await setStage({ seed, environment }))
  const { agent } = begun.use(await startTlsProxy([PRODUCTION, SANDBOX], ports))
  const keys = { appKey: adas.consumer_key, appSecret: adas.consumer_secret }
  const client = new TwitterApi({ ...keys, accessToken: adas.oauth_token, accessSecret: adas.oauth_token_secret }, { httpAgent: agent })
  const owned = begun.move()
  return { client, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

/** Ids of what was created, by the parameter that names them: `campaign_id`. */
type Ids = Record<string, string>
type Values = Record<string, unknown>

const HOUR_MS = 3_600_000
const wholeHour = (fromNow: number) => new Date((Math.floor(Date.now() / HOUR_MS) + fromNow) * HOUR_MS).toISOString()

/** What calls send besides, or instead of, the examples of their required parameters, by endpoint. */
const values: Record<string, (ids: Ids) => Values> = {
  listAccounts: () => ({ q: 'd', with_total_count: true }),
  updateAccount: () => ({ name: 'Renamed, & more', industry_type: 'RETAIL' }),
  listCuratedCategories: () => ({ country_codes: 'US' }),
  grantFeatures: () => ({ feature_keys: ['REACH_FREQUENCY_CAP', 'CITY_TARGETING', 'SHARE_AUDIENCE_OUTSIDE_BUSINESS', ...FEATURES].join() }),
  createTailoredAudiencePermission: ({ account_id }) => ({ granted_account_id: account_id === ACCOUNT ? 'onep' : 'ones' }),
  createCustomAudiencePermission: ({ account_id }) => ({ granted_account_id: account_id === ACCOUNT ? 'twop' : 'twos' }),
  listFeatures: () => ({ feature_keys: 'REACH_FREQUENCY_CAP' }),
  searchKeywords: () => ({ keywords: 'tea,#rain', granularity: 'HOUR', start_time: wholeHour(-2), end_time: wholeHour(0) }),
  createAdsPost: () => ({
    as_user_id: ada.id,
    text: 'Spring & more (50%) is here',
    name: 'First & only',
    trim_user: true,
    post_mode: 'extended',
  }),
  renamePost: () => ({ name: 'Second' }),
  createScheduledPost: () => ({ as_user_id: ada.id, text: 'Later', scheduled_at: wholeHour(2) }),
  updateScheduledPost: () => ({ text: 'Later & longer' }),
  createPromotedPosts: ({ line_item_id, post_id }) => ({ line_item_id, post_ids: post_id }),
  createCampaign: () => ({ name: 'Spring & more (50%)', daily_budget_amount_local_micro: 5_000_000 }),
  updateCampaign: () => ({ name: 'Summer' }),
  createPollCard: () => ({
    name: 'Drinks',
    first_choice: 'Tea',
    second_choice: 'Coffee',
    duration_in_minutes: 60,
    media_key: AMPLIFY,
  }),
  createVideoConversationCard: () => ({ ...conversation, media_key: AMPLIFY, poster_media_key: WIDE_IMAGE }),
  updateVideoConversationCard: () => ({
    second_cta: '#coffee',
    second_cta_post: 'Coffee & more',
    thank_you_url: 'https://shop.example/?a=b',
  }),
  createImageConversationCard: () => ({ ...conversation, media_key: WIDE_IMAGE }),
  updateImageConversationCard: () => ({ name: 'Chat' }),
  updateLibraryMedia: () => ({ title: 'See & more', name: 'Film' }),
  listCards: () => ({ include_legacy_cards: true, card_types: 'IMAGE_WEBSITE,VIDEO_POLLS', with_total_count: true }),
  createLineItem: () => ({ name: 'First', bid_amount_local_micro: 1_000_000, end_time: '2030-01-01T00:00:00Z', entity_status: 'PAUSED' }),
  updateLineItem: () => ({ name: 'Second' }),
  listTargetingCriteria: ({ line_item_id }) => ({ line_item_ids: line_item_id, count: 10 }),
  updateLineItemCuratedCategory: () => ({ curated_category_id: CURATED_CATEGORY }),
  listAccountHistory: ({ campaign_id }) => ({ entity_id: campaign_id, start_time: wholeHour(-1), end_time: wholeHour(1) }),
}

/** A conversation card without its media. */
const conversation = { name: 'Talk', first_cta: '#tea', first_cta_post: 'Tea!', thank_you_text: 'Thank you', title: 'Tea?' }

/** What calls with a JSON body send, by endpoint. */
const bodies: Record<string, (ids: Ids) => Values> = {
  createCard: () => ({ name: 'Spring', components: [{ type: 'MEDIA', media_key: WIDE_IMAGE }, details] }),
  updateCard: () => ({ name: 'Summer', components: null }),
  putProducts: () => ({ products: [cup()] }),
  deleteProducts: ({ product_key }) => ({ product_keys: product_key }),
  createProductSet: ({ product_key }) => ({ name: 'Cups & more', type: 'MANUAL', product_keys: [product_key] }),
  updateProductSet: ({ product_key }) => ({ description: 'All cups', product_keys: [product_key] }),
}

/** Batches of operations on what exists already; `ads/batches/batches.test.ts` sends them with this client. */
const batches = ['batchCampaigns', 'batchLineItems', 'batchTargetingCriteria']

const requiredIn = (endpoint: Endpoint) => (object(endpoint.params) as { required?: string[] }).required ?? []

/** The ids that calls take, by parameter: whatever stands at the end of a path. */
const idNames = new Set(endpoints.flatMap(({ path }) => /:(\w+)$/.exec(path)?.[1] ?? []))

/** The parameter that names what a POST creates: that of the path one step below it. */
const createdBy = ({ path }: Endpoint) =>
  endpoints.map((other) => other.path.match(/^(.*)\/:(\w+)$/)).find((match) => match?.[1] === path)?.[2]

/** The parameter at the end of a path. */
const idOf = ({ path }: Endpoint) => /:(\w+)$/.exec(path)?.[1]

/** Products are created by PUT. */
const creates = ({ method, name }: Endpoint) => method === 'POST' || name === 'putProducts'

const deepestFirst = (one: Endpoint, other: Endpoint) => other.pathNames.length - one.pathNames.length

/** Everything in the order in which it can be called: what creates, each after what it needs; what reads and changes; what deletes, last first. */
function inOrder(endpoints: readonly Endpoint[]): Endpoint[] {
  const ofMethod = (...methods: string[]) => endpoints.filter(({ method }) => methods.includes(method))
  // What the sandbox alone can create and grant, others need; and cards need media of the library.
  const rank = ({ sandboxOnly, name }: Endpoint) => Number(sandboxOnly) * 2 + Number(name === 'addLibraryMedia')
  const left = endpoints.filter(creates).sort((one, other) => rank(other) - rank(one))
  const created: Endpoint[] = []
  const isReady = (endpoint: Endpoint) => !left.some((other) => other !== endpoint && requiredIn(endpoint).includes(createdBy(other) ?? ''))
  while (left.length > 0) {
    const next = left.findIndex(isReady)
    assert.notEqual(next, -1, `each of these needs another first: ${left.map(({ name }) => name)}`)
    created.push(...left.splice(next, 1))
  }
  // What is taken out of a collection goes before the collection.
  const placeOf = (endpoint: Endpoint) => {
    const id = idOf(endpoint)
    return id === undefined ? created.length : created.findIndex((other) => createdBy(other) === id)
  }
  const lastFirst = (one: Endpoint, other: Endpoint) => deepestFirst(one, other) || placeOf(other) - placeOf(one)
  return [...created, ...ofMethod('GET', 'PUT').filter((endpoint) => !creates(endpoint)), ...ofMethod('DELETE').sort(lastFirst)]
}

/** What a call sends besides its path: examples and ids for what is required, what all reads take, and what is its own. */
function sentTo(endpoint: Endpoint, ids: Ids): Record<string, string | number | boolean> {
  const { name, params, example, pathNames } = endpoint
  const required = requiredIn(endpoint).filter((parameter) => !pathNames.includes(parameter))
  const examples = required.map((parameter) => [parameter, (idNames.has(parameter) && ids[parameter]) || example[parameter]])
  const reading = Object.entries({ count: 10, with_deleted: true, sort_by: 'created_at-asc' }).filter(([parameter]) => parameter in params)
  const sent: Values = { ...Object.fromEntries(examples), ...(values[name]?.(ids) ?? Object.fromEntries(reading)) }
  return Object.fromEntries(
    Object.entries(sent).map(([parameter, value]) => [xNameOf(parameter), Array.isArray(value) ? value.join() : (value as string)]),
  )
}

/** An id by the path of the collection that it was created in, else by its parameter. */
const pathOf = ({ path, example }: Endpoint, ids: Ids) =>
  xPathOf(path).replace(
    /:(\w+)/g,
    (_, name: string, at: number) => ids[xPathOf(path).slice(0, at - 1)] ?? ids[name] ?? String(example[name]),
  )

/** The names of a value, at any depth, that the dialect spells differently. */
const foreignNames = (value: unknown): string[] =>
  [...JSON.stringify(value).matchAll(/"(\w+)":/g)].map(([, name]) => name!).filter((name) => /(^|_)posts?(_|$)/.test(name))

const hosts = [
  { host: 'production', served: endpoints.filter(({ sandboxOnly }) => !sandboxOnly) },
  { host: 'sandbox', served: endpoints },
] as const

suite('twitter-api-v2, its ads client', () => {
  for (const { host, served } of hosts)
    test(`calls every endpoint of the ${host} host`, async () => {
      await using their = await asTheirHosts()
      const ads = host === 'sandbox' ? their.client.ads.sandbox : their.client.ads
      const ids: Ids = { account_id: ACCOUNT, funding_instrument_id: FUNDING, curated_category_id: CURATED_CATEGORY }
      for (const endpoint of inOrder(served).filter(({ name }) => !batches.includes(name))) {
        const { name, method } = endpoint
        const send = ads[method.toLowerCase() as 'get' | 'post' | 'put' | 'delete'].bind(ads) as typeof ads.post
        const body = (endpoint.rawBody?.example as Values | undefined) ?? bodies[name]?.(ids)
        // The client sends no body with a DELETE: its parameters are in the query.
        const isJson = body !== undefined && method !== 'DELETE'
        const sent = (body ?? sentTo(endpoint, ids)) as Record<string, string>
        const [, version, path] = /^\/(\d+)\/(.*)/.exec(pathOf(endpoint, ids))!
        const prefix = `https://${host === 'sandbox' ? SANDBOX : PRODUCTION}/${version}/`
        const answer = await send(path!, sent, { prefix, ...(isJson && { forceBodyMode: 'json' as const }) }).catch(
          (error: ApiResponseError) => assert.fail(`${name} ${JSON.stringify(sent)}: ${JSON.stringify(error.data ?? String(error))}`),
        )
        assert.ok('data' in answer, name)
        assert.deepEqual(
          Object.keys(answer.request.params ?? {})
            .filter((parameter) => parameter in sent)
            .sort(),
          isJson ? [] : Object.keys(sent).sort(),
          name,
        )
        assert.deepEqual(foreignNames(answer), [], name)
        const first = [answer.data].flat()[0]
        const id = first?.id ?? first?.media_key
        if (name === 'putProducts') ids.product_key = answer.data.products_response[0].product_key
        const created = method === 'POST' && createdBy(endpoint)
        if (name === 'createAdsPost') ids.post_id = answer.data.id_str
        if (name === 'listPromotableUsers') ids.promotable_user_id = id
        if (created && id !== undefined) ids[created] = ids[xPathOf(endpoint.path)] = id
        if (name === 'addLibraryMedia') await send(path!, { media_key: WIDE_IMAGE }, { prefix })
        if (name === 'listAccountMedia') ids.account_media_id = id
        if (name === 'createCustomAudience') ids.tailored_audience_id = id
      }
    })

  test('changes many records in one batch of each kind, and gets the errors of each operation', async () => {
    await using their = await asTheirHosts()
    const { ads } = their.client
    const send = async (path: string, ...operations: [type: string, params: object][]) => {
      const body = operations.map(([operation_type, params]) => ({ operation_type, params }))
      return ads.post(`batch/accounts/${ACCOUNT}/${path}`, body as never, { forceBodyMode: 'json' })
    }
    const line = { objective: 'ENGAGEMENTS', product_type: 'PROMOTED_TWEETS', placements: ['ALL_ON_TWITTER'], bid_strategy: 'AUTO' }
    const campaigns = await send('campaigns', ['Create', { funding_instrument_id: FUNDING, name: 'One' }])
    const campaign_id = campaigns.data[0].id
    const create = { ...line, campaign_id, start_time: '2026-03-01T12:00:00Z' }
    const lineItems = await send('line_items', ['Create', create], ['Create', create])
    const [{ id: line_item_id }, { id: other }] = lineItems.data
    const criterion = { line_item_id, targeting_type: 'BROAD_KEYWORD', targeting_value: 'tea' }
    const criteria = await send('targeting_criteria', ['Create', criterion])
    assert.deepEqual(criteria.request, [{ params: { ...criterion, account_id: ACCOUNT }, operation_type: 'Create' }])
    await send('targeting_criteria', ['Delete', { targeting_criterion_id: criteria.data[0].id }])
    const changed = await send('line_items', ['Update', { line_item_id, name: 'First' }], ['Delete', { line_item_id: other }])
    assert.deepEqual(
      changed.data.map(({ name, deleted }: { name: string; deleted: boolean }) => [name, deleted]),
      [
        ['First', false],
        [null, true],
      ],
    )
    const refusal = await send('campaigns', ['Update', { campaign_id, name: 'Two' }], ['Delete', { campaign_id: 'zzz' }]).catch(
      (error) => error,
    )
    assert.ok(refusal instanceof ApiResponseError, String(refusal))
    assert.deepEqual((refusal.data as unknown as { operation_errors: unknown }).operation_errors, [
      [],
      [{ code: 'CAMPAIGN_NOT_FOUND', message: 'Campaign zzz was not found' }],
    ])
  })

  test('gets errors with their reasons, and the remaining calls', async () => {
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
