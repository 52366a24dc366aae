// What a good engineer would write for seven endpoints by hand: Fastify, prepared statements on the rows of Postern, the same credentials and
// rate limits, and `JSON.stringify`. It knows one account, one page and one selection of fields each, and no soft deletes, dialects or limits
// of anything else. Credentials stand in tables of its own, unsealed.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import { Pool } from 'pg'
import { readArgument, serve } from '../worker.ts'

/** The credentials that it knows. */
export interface HandWrittenArgument {
  url: string
  consumerKey: string
  consumerSecret: string
  token: string
  tokenSecret: string
  userId: string
  appId: string
  bearerToken: string
}

type Value = string | number | null | readonly string[]
/** Prepares a statement with `$1` and on; its rows are objects. */
// biome-ignore lint/suspicious/noExplicitAny: rows as the database has them
type Prepare = (text: string) => (...values: Value[]) => any[] | Promise<any[]>

const argument = readArgument<HandWrittenArgument>()
const isSqlite = argument.url.startsWith('sqlite:')

function sqlite(path: string): Prepare {
  const file = new DatabaseSync(path, { timeout: 5000 })
  file.exec('pragma synchronous = normal')
  return (text) => {
    const statement = file.prepare(text.replaceAll(/\$(\d+)/g, '?$1'))
    return (...values) =>
      statement.all(...values.map((value) => (Array.isArray(value) ? JSON.stringify(value) : value) as SQLInputValue)) as object[]
  }
}

function postgres(connectionString: string): Prepare {
  const pool = new Pool({ connectionString, max: 10 })
  let prepared = 0
  return (text) => {
    const name = `by_hand_${prepared++}`
    return async (...values) => (await pool.query({ name, text, values })).rows
  }
}

const prepare = isSqlite ? sqlite(argument.url.slice('sqlite:'.length)) : postgres(argument.url)

const among = (column: string, type = 'text') =>
  isSqlite ? `${column} in (select value from json_each($1))` : `${column} = any($1::${type}[])`

await prepare(`create table by_hand_tokens (token text primary key, secret text not null, consumer_key text not null,
  consumer_secret text not null, user_id text not null)`)()
await prepare('create table by_hand_bearers (hash text primary key, app_id text not null)')()
await prepare(`create ${isSqlite ? '' : 'unlogged '}table by_hand_nonces (nonce text primary key, at bigint not null)`)()
await prepare(`create ${isSqlite ? '' : 'unlogged '}table by_hand_limits (key text primary key, count integer not null)`)()
const { token, tokenSecret, consumerKey, consumerSecret, userId, appId, bearerToken } = argument
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
await prepare('insert into by_hand_tokens values ($1, $2, $3, $4, $5)')(token, tokenSecret, consumerKey, consumerSecret, userId)
await prepare('insert into by_hand_bearers values ($1, $2)')(sha256(bearerToken), appId)

const readToken = prepare('select secret, consumer_key, consumer_secret, user_id from by_hand_tokens where token = $1')
const readBearer = prepare('select app_id from by_hand_bearers where hash = $1')
const addNonce = prepare('insert into by_hand_nonces values ($1, $2) on conflict do nothing returning 1')
const countCall = prepare(`insert into by_hand_limits values ($1, 1)
  on conflict (key) do update set count = by_hand_limits.count + 1 returning count`)

class Refused extends Error {
  readonly statusCode: number
  constructor(statusCode: number) {
    super(String(statusCode))
    this.statusCode = statusCode
  }
}

const encode = (text: string) => encodeURIComponent(text).replace(/[!'()*]/g, (it) => `%${it.charCodeAt(0).toString(16).toUpperCase()}`)

const WINDOW_MS = 15 * 60_000
const LIMIT = Number.MAX_SAFE_INTEGER
const counts = new Map<string, number>()

/** Counts a call in its window: in memory where there is one process, in the database otherwise. */
async function limit(key: string, reply: FastifyReply) {
  const window = Math.floor(Date.now() / WINDOW_MS)
  const name = `${key}:${window}`
  const count = isSqlite ? (counts.get(name) ?? 0) + 1 : (await countCall(name))[0].count
  if (isSqlite) counts.set(name, count)
  reply.header('x-rate-limit-limit', LIMIT)
  reply.header('x-rate-limit-remaining', Math.max(0, LIMIT - count))
  reply.header('x-rate-limit-reset', ((window + 1) * WINDOW_MS) / 1000)
  if (count > LIMIT) throw new Refused(429)
}

const MAX_AGE_S = 300

/** The user whose access token has signed the request (OAuth 1.0a, HMAC-SHA1). */
async function signer(request: FastifyRequest, reply: FastifyReply): Promise<string> {
  const { authorization = '' } = request.headers
  if (!authorization.startsWith('OAuth ')) throw new Refused(401)
  const oauth = new Map<string, string>()
  for (const part of authorization.slice(6).split(',')) {
    const [name = '', value = ''] = part.trim().split('=', 2)
    oauth.set(decodeURIComponent(name), decodeURIComponent(value.slice(1, -1)))
  }
  const [, query = ''] = request.url.split('?', 2)
  const [stored] = await readToken(oauth.get('oauth_token') ?? '')
  if (!stored || stored.consumer_key !== oauth.get('oauth_consumer_key')) throw new Refused(401)
  const parameters = [...new URLSearchParams(query), ...oauth].filter(([name]) => name !== 'oauth_signature' && name !== 'realm')
  const pairs = parameters.map(([name, value]) => `${encode(name)}=${encode(value)}`).sort()
  const base = [request.method, `http://${request.headers.host}${request.url.split('?', 1)[0]}`, pairs.join('&')].map(encode).join('&')
  const expected = createHmac('sha1', `${encode(stored.consumer_secret)}&${encode(stored.secret)}`)
    .update(base)
    .digest()
  const sent = Buffer.from(oauth.get('oauth_signature') ?? '', 'base64')
  if (sent.length !== expected.length || !timingSafeEqual(sent, expected)) throw new Refused(401)
  const at = Number(oauth.get('oauth_timestamp'))
  if (!(Math.abs(Date.now() / 1000 - at) < MAX_AGE_S)) throw new Refused(401)
  if ((await addNonce(`${oauth.get('oauth_token')} ${oauth.get('oauth_nonce')} ${at}`, at)).length === 0) throw new Refused(401)
  await limit(`${request.routeOptions.url}:${stored.user_id}`, reply)
  return stored.user_id
}

/** The app whose bearer token the request has. */
async function bearer(request: FastifyRequest, reply: FastifyReply): Promise<string> {
  const [, sent] = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '') ?? []
  const [found] = sent === undefined ? [] : await readBearer(sha256(sent))
  if (!found) throw new Refused(401)
  await limit(`${request.routeOptions.url}:${found.app_id}`, reply)
  return found.app_id
}

const seconds = (ms: unknown) => (ms === null ? null : `${new Date(Number(ms)).toISOString().slice(0, 19)}Z`)
const numberOf = (value: unknown) => (value === null ? null : Number(value))
const parsed = (value: unknown) => (typeof value === 'string' ? JSON.parse(value) : value)

const readUser = prepare('select id, name, username from users where id = $1 and not disabled')
const readWebhooks = prepare('select id, url, valid, created_at_ms from webhooks where app_id = $1 order by created_at_ms, id')
const readMember = prepare('select role from account_members where user_id = $1 and account_id = $2 and not hidden')
const readAccounts = prepare(`select a.id, a.name, a.business_name, a.business_id, a.timezone, a.timezone_switch_at_ms, a.approval_status,
  a.industry_type, a.created_at_ms, a.updated_at_ms, a.deleted
  from account_members as m join accounts as a on a.id = m.account_id
  where m.user_id = $1 and m.host = 'production' and not m.hidden order by m.created_at_ms desc, m.account_id desc limit 201`)
const readCampaigns = prepare(`select id, name, budget_optimization, purchase_order_number, daily_budget_amount_local_micro,
  total_budget_amount_local_micro, funding_instrument_id, duration_in_days, frequency_cap, standard_delivery, entity_status, start_time_ms,
  end_time_ms, currency, created_at_ms, updated_at_ms, deleted
  from campaigns where account_id = $1 and not hidden order by created_at_ms desc, id desc limit 101`)
const readCards = prepare(`select id, name, card_type, card_uri, created_at_ms, updated_at_ms, deleted, components
  from cards where account_id = $1 and kind = 'COMPONENT' and not hidden order by created_at_ms desc, id desc limit 201`)
const readCardMedia = prepare(`select media_key, url, width, height from media where ${among('media_key')}`)
const POST = `cast(id as text) as id, text, author_id, created_at_ms, entities, media_keys, repost_count, reply_count, like_count, quote_count,
  bookmark_count, impression_count`
const readPosts = prepare(
  `select ${POST} from posts where ${isSqlite ? 'id in (select cast(value as integer) from json_each($1))' : among('id', 'bigint')}`,
)
const readTimeline = prepare(`select ${POST} from posts where author_id = $1 and not nullcast order by posts.id desc limit 101`)
const readAuthors = prepare(`select id, name, username, verified from users join profiles on profiles.user_id = users.id
  where ${among('id')} and not disabled and not protected`)
const readMedia = prepare(`select media_key, type, height, url, width from media where ${among('media_key')}`)

async function assertMember(user: string, account: string) {
  if ((await readMember(user, account)).length === 0) throw new Refused(404)
}

async function accounts(user: string) {
  const data = (await readAccounts(user)).slice(0, 200).map((row) => ({
    id: row.id,
    name: row.name,
    business_name: row.business_name,
    business_id: row.business_id,
    timezone: row.timezone,
    timezone_switch_at: seconds(row.timezone_switch_at_ms),
    approval_status: row.approval_status,
    industry_type: row.industry_type,
    created_at: seconds(row.created_at_ms),
    updated_at: seconds(row.updated_at_ms),
    deleted: Boolean(row.deleted),
  }))
  return { request: { params: {} }, data, next_cursor: null }
}

/** What keeps a campaign from being served. */
function reasonsOf({ entity_status: status, end_time_ms: end }: { entity_status: string; end_time_ms: unknown }): string[] {
  const own = status === 'PAUSED' ? ['PAUSED_BY_ADVERTISER'] : status === 'DRAFT' ? ['DRAFT'] : []
  return end !== null && Number(end) <= Date.now() ? [...own, 'EXPIRED'] : own
}

async function campaigns(account: string, params: object) {
  const data = (await readCampaigns(account)).slice(0, 100).map((row) => {
    const reasons = reasonsOf(row)
    return {
      id: row.id,
      name: row.name,
      budget_optimization: row.budget_optimization,
      purchase_order_number: row.purchase_order_number,
      daily_budget_amount_local_micro: numberOf(row.daily_budget_amount_local_micro),
      total_budget_amount_local_micro: numberOf(row.total_budget_amount_local_micro),
      funding_instrument_id: row.funding_instrument_id,
      duration_in_days: numberOf(row.duration_in_days),
      frequency_cap: numberOf(row.frequency_cap),
      standard_delivery: Boolean(row.standard_delivery),
      entity_status: row.entity_status,
      start_time: seconds(row.start_time_ms),
      end_time: seconds(row.end_time_ms),
      currency: row.currency,
      created_at: seconds(row.created_at_ms),
      updated_at: seconds(row.updated_at_ms),
      deleted: Boolean(row.deleted),
      effective_status: reasons.includes('EXPIRED') ? 'EXPIRED' : row.entity_status,
      servable: reasons.length === 0,
      reasons_not_servable: reasons,
    }
  })
  return { request: { params }, data, next_cursor: null }
}

interface Component {
  type: string
  media_key?: string
}

async function cards(account: string, params: object) {
  const rows = (await readCards(account)).slice(0, 200)
  const components = rows.map((row) => parsed(row.components) as Component[])
  const keys = new Set(components.flatMap((some) => some.flatMap(({ media_key }) => media_key ?? [])))
  const media = new Map((await readCardMedia([...keys])).map((row) => [row.media_key, row]))
  const withMedia = (component: Component) => {
    if (component.media_key === undefined) return component
    const { url, width, height } = media.get(component.media_key)
    const shown = { type: 'IMAGE', url, width: Number(width), height: Number(height), video_duration: null, video_aspect_ratio: null }
    return { ...component, media_metadata: { [component.media_key]: shown } }
  }
  const data = rows.map((row, place) => ({
    id: row.id,
    name: row.name,
    card_type: row.card_type,
    card_uri: row.card_uri,
    created_at: seconds(row.created_at_ms),
    updated_at: seconds(row.updated_at_ms),
    deleted: Boolean(row.deleted),
    components: components[place]!.map(withMedia),
  }))
  return { request: { params }, data, next_cursor: null }
}

// biome-ignore lint/suspicious/noExplicitAny: rows as the database has them
function presentPost(row: any) {
  const media_keys = row.media_keys === null ? undefined : parsed(row.media_keys)
  return {
    id: row.id,
    text: row.text,
    ...(media_keys && { attachments: { media_keys } }),
    author_id: row.author_id,
    created_at: new Date(Number(row.created_at_ms)).toISOString(),
    ...(row.entities !== null && { entities: parsed(row.entities) }),
    public_metrics: {
      repost_count: Number(row.repost_count),
      reply_count: Number(row.reply_count),
      like_count: Number(row.like_count),
      quote_count: Number(row.quote_count),
      bookmark_count: Number(row.bookmark_count),
      impression_count: Number(row.impression_count),
    },
  }
}

// biome-ignore lint/suspicious/noExplicitAny: rows as the database has them
async function presentPosts(rows: any[]) {
  const data = rows.map(presentPost)
  const mediaKeys = [...new Set(data.flatMap(({ attachments }) => attachments?.media_keys ?? []))] as string[]
  const authorIds = [...new Set(data.map(({ author_id }) => author_id))] as string[]
  const [authorRows, mediaRows] = await Promise.all([readAuthors(authorIds), readMedia(mediaKeys)])
  const authors = new Map(authorRows.map((row) => [row.id, { ...row, verified: Boolean(row.verified) }]))
  const media = new Map(mediaRows.map((row) => [row.media_key, row]))
  const users = authorIds.flatMap((id) => authors.get(id) ?? [])
  const attached = mediaKeys.flatMap((key) => {
    const row = media.get(key)
    return row ? { media_key: key, type: row.type, height: Number(row.height), url: row.url, width: Number(row.width) } : []
  })
  return { data, includes: { users, media: attached } }
}

async function posts(ids: readonly string[]) {
  const rows = new Map((await readPosts(ids)).map((row) => [row.id, row]))
  return presentPosts(ids.flatMap((id) => rows.get(id) ?? []))
}

async function timeline(author: string) {
  const rows = await readTimeline(author)
  const page = rows.slice(0, 100)
  const [newest_id, oldest_id] = [page[0].id, page.at(-1).id]
  const next = rows.length > page.length && { next_token: Buffer.from(`posts-${author}:n:${oldest_id}`).toString('base64url') }
  return { ...(await presentPosts(page)), meta: { result_count: page.length, newest_id, oldest_id, ...next } }
}

const app = fastify()
const send = (reply: FastifyReply, value: object) =>
  reply.header('cache-control', 'no-cache, no-store, max-age=0').type('application/json; charset=utf-8').send(JSON.stringify(value))

app.get('/2/users/me', async (request, reply) => {
  const [user] = await readUser(await signer(request, reply))
  return send(reply, { data: { id: user.id, name: user.name, username: user.username } })
})
app.get('/2/webhooks', async (request, reply) => {
  const data = (await readWebhooks(await bearer(request, reply))).map(({ id, url, valid, created_at_ms }) => ({
    id,
    url,
    valid: Boolean(valid),
    created_at: new Date(Number(created_at_ms)).toISOString(),
  }))
  return send(reply, { data, meta: { result_count: data.length } })
})
app.get('/12/accounts', async (request, reply) => send(reply, await accounts(await signer(request, reply))))
for (const [list, read] of Object.entries({ campaigns, cards }))
  app.get(`/12/accounts/:account_id/${list}`, async (request, reply) => {
    const { account_id } = request.params as { account_id: string }
    const { count } = request.query as { count: string }
    await assertMember(await signer(request, reply), account_id)
    return send(reply, await read(account_id, { account_id, count: Number(count) }))
  })
app.get('/2/posts', async (request, reply) => {
  await bearer(request, reply)
  return send(reply, await posts((request.query as { ids: string }).ids.split(',')))
})
app.get('/2/users/:id/posts', async (request, reply) => {
  await bearer(request, reply)
  return send(reply, await timeline((request.params as { id: string }).id))
})
const url = await app.listen({ port: 0, host: '127.0.0.1' })

serve(
  async () => ({ url }),
  () => app.close(),
)
