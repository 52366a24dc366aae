import { DatabaseSync } from 'node:sqlite'
import { pino } from 'pino'
import { writeWorld } from '../../../scripts/world/write-world.ts'
import type { AnyResource } from '../../../src/api/records/resource.ts'
import { accountResources } from '../../../src/endpoints/ads/resources/index.ts'
import { recordTypes } from '../../../src/endpoints/index.ts'
import type { SeedDocument } from '../../../src/endpoints/operator/seed/seed-document.ts'
import { createClock } from '../../../src/lib/clock.ts'
import { createSeal } from '../../../src/lib/seal.ts'
import { openDatabase } from '../../../src/storage/open-database.ts'
import { ACCOUNT, FUNDING } from '../ads.ts'
import { fillRecords, insertRows, recordOf } from '../fill-records.ts'
import { demoApp, otherApp, SECRET } from '../postern.ts'
import type { Riches } from './dearest-request.ts'

export interface WorldSize {
  users: number
  posts: number
  /** Of each resource of the advertising API. */
  records: number
  /** Of each kind: whom the user follows, posts that the user likes, messages … */
  relations: number
}

export const nearlyEmpty: WorldSize = { users: 3, posts: 4, records: 1, relations: 2 }
export const large: WorldSize = { users: 4000, posts: 20_000, records: 1500, relations: 3000 }

/** The access token of a name of the user whose requests are dear. */
export const tokenOf = (userId: string, name: 'main' | 'spare') => ({
  consumer_key: demoApp.consumer_key,
  oauth_token: `${userId}-${name}`,
  oauth_token_secret: 'secret',
})

/** The app's client of OAuth 2.0. */
export const OAUTH2_CLIENT = { id: 'client', secret: 'client-secret-of-the-large-world' }

/** Words of generated posts, the most frequent first. */
const FREQUENT =
  'the to and a of in is it you that for on with this was my have are not be at we so but just all me what out up as your'.split(' ')

const LIST = '3999'
const CATALOG = '7001'

/** Keys in the generated world, and who has most of it. */
function readKeys(path: string, limit: number) {
  using file = new DatabaseSync(path)
  const keys = (query: string) => {
    const statement = file.prepare(`${query} limit ${limit}`)
    statement.setReadBigInts(true)
    return statement.all().map((row) => String(Object.values(row)[0]))
  }
  const userIds = keys('select user_id from profiles order by followers_count desc, user_id')
  const [userId] = userIds
  file.exec(`delete from relations where relation in ('follow', 'like') and source = '${userId}'`)
  return {
    userIds,
    usernames: keys('select username from users'),
    username: keys(`select username from users where id = '${userId}'`)[0]!,
    postIds: keys('select id from posts order by id desc'),
    mediaKeys: keys('select media_key from media'),
  }
}

const position = (place: number) => String(9_000_000 + place)

type Row = Record<string, unknown>

/** The product of a number. */
export const productOf = (n: number, description = 'x'.repeat(1000)) => ({
  id: `p${n}`,
  title: 'Cup',
  description,
  availability: 'in stock',
  condition: 'new',
  brand: 'Harbour',
  price: '1.00 USD',
  link: 'https://shop.example/p',
  image_link: 'https://shop.example/p.png',
})

/** What the user has much of, past the storage: through it this would take minutes. */
async function insertAll(url: string, { userIds, postIds }: ReturnType<typeof readKeys>, size: WorldSize, nowMs: number) {
  const [me, other] = userIds as [string, string]
  const insert = async (table: string, count: number, rowOf: (place: number) => Row) => {
    const rows = Array.from({ length: count }, (_, place) => rowOf(place))
    if (rows.length > 0) await insertRows(url, table, rows)
  }
  const others = userIds.slice(1, 1 + size.relations)
  const liked = postIds.slice(0, size.relations)
  const related = (relation: string, targets: readonly string[]) =>
    insert('relations', targets.length, (place) => ({ relation, source: me, target: targets[place], position: position(place) }))
  await related('follow', others)
  await related('mute', others.slice(-size.relations / 2))
  await related('block', others.slice(0, size.relations / 2))
  await related('like', liked)
  await related('bookmark', liked)
  const counts = { member_count: 0, follower_count: 0 }
  const list = { owner_id: me, name: 'List', description: 'x'.repeat(100), private: false, created_at_ms: nowMs, ...counts }
  await insert('lists', size.relations, (place) => ({ id: String(4000 + place), ...list }))
  const times = { created_at_ms: nowMs, updated_at_ms: nowMs }
  const space = { creator_id: me, title: 'x'.repeat(70), state: 'live', lang: 'en', is_ticketed: false, ...times }
  await insert('spaces', Math.min(100, size.relations), (place) => ({
    id: `1space${place}`,
    ...space,
    participant_count: 1,
    subscriber_count: 1,
  }))
  const message = {
    conversation_id: `${me}-${other}`,
    event_type: 'MessageCreate',
    sender_id: me,
    text: 'x'.repeat(2000),
    created_at_ms: nowMs,
  }
  await insert('dm_events', size.relations, (place) => ({ id: position(place), ...message }))
  for (const resource of accountResources as readonly AnyResource[])
    await fillRecords(
      url,
      resource,
      { account_id: ACCOUNT },
      Array.from({ length: size.records }, (_, n) => recordOf(resource, n, 'a')),
    )
}

/** The key of the first record of each resource, by the placeholders that stand for it in paths. */
const recordKeys = () =>
  (accountResources as readonly AnyResource[]).flatMap((resource) => {
    const key = String(recordOf(resource, 0, 'a')[resource.key])
    const name = `${resource.title.toLowerCase().replaceAll(' ', '_')}_id`
    return [name, resource.key].map((placeholder) => ['/12/accounts/', placeholder, key] as const)
  })

/** Fills a SQLite database. Answers what makes requests to it dear, the seed of those who call, and the user. */
export async function fillWorld(
  path: string,
  size: WorldSize,
  nowMs: number,
): Promise<{ riches: Riches; seed: SeedDocument; userId: string; otherId: string }> {
  const url = `sqlite:${path}`
  const parts = { clock: createClock(), seal: createSeal([SECRET]), recordTypes, logger: pino({ level: 'silent' }) }
  const database = await openDatabase({ url, ...parts })
  await writeWorld(database.storage.content, { users: size.users, posts: size.posts, random: 1, untilMs: nowMs }).finally(() =>
    database.close(),
  )
  const keys = readKeys(path, size.relations + 1)
  const [me, other] = keys.userIds as [string, string]
  await insertAll(url, keys, size, nowMs)
  const members = keys.userIds.slice(0, Math.min(1000, size.relations))
  const seed = {
    apps: [
      {
        ...demoApp,
        id: '7001',
        permissions: 'read_write_dm',
        ads_access: true,
        early_access: ['catalogs', 'account_history'],
        callback_urls: ['https://app.example/cb'],
        sign_in_with_service: true,
        oauth2_client_id: OAUTH2_CLIENT.id,
        oauth2_client_type: 'confidential',
        oauth2_client_secret: OAUTH2_CLIENT.secret,
      },
      { ...otherApp, id: '7002' },
    ],
    users: [{ id: me, username: keys.username, name: 'Me' }],
    tokens: (['main', 'spare'] as const).map((name) => ({ ...tokenOf(me, name), user_id: me })),
    accounts: [
      {
        id: ACCOUNT,
        name: 'Ads',
        members: [{ user_id: me, role: 'ACCOUNT_ADMIN' }],
        funding_instruments: [{ id: FUNDING, type: 'CREDIT_CARD', currency: 'USD' }],
      },
    ],
    product_catalogs: [
      { id: CATALOG, user_id: me, name: 'Shop', products: Array.from({ length: Math.min(500, size.records) }, (_, n) => productOf(n)) },
    ],
    lists: [{ id: LIST, owner_id: me, name: 'Members', members, followers: members }],
    subscriptions: members.map((userId, n) => ({
      consumer_key: demoApp.consumer_key,
      event_type: 'profile.update.bio',
      filter: { user_id: userId },
      tag: `${n}`.padEnd(200, 'x'),
    })),
  } as unknown as SeedDocument
  const riches: Riches = {
    inPath: [
      ['/2/posts/', 'id', keys.postIds[0]!],
      ['/2/lists/', 'id', LIST],
      ['/2/spaces/', 'id', '1space0'],
      ['/2/dm_conversations/', 'id', `${me}-${other}`],
      ['/2/dm_conversations/', 'participant_id', other],
      ['/2/users/by/', 'username', keys.username],
      ['/2/users/', 'id', me],
      ['/2/users/', 'source_user_id', me],
      ['/2/media/', 'media_key', keys.mediaKeys[0] ?? '3_1'],
      ['/2/dm_events/', 'event_id', position(0)],
      ['/12/', 'account_id', ACCOUNT],
      ['/12/', 'product_catalog_id', CATALOG],
      ['/5/', 'account_id', ACCOUNT],
      ['/5/', 'tailored_audience_id', 'a0'],
      ...recordKeys(),
    ],
    lists: {
      '/2/posts ids': keys.postIds,
      '/2/users ids': keys.userIds,
      '/2/users/by usernames': keys.usernames,
      '/2/spaces ids': Array.from({ length: Math.min(100, size.relations) }, (_, place) => `1space${place}`),
      '/2/spaces/by/creator_ids user_ids': [me],
      '/2/media media_keys': keys.mediaKeys.length > 0 ? keys.mediaKeys : ['3_1'],
      '/12/accounts/:account_id/cards/all card_uris': Array.from({ length: 200 }, (_, n) => `card://${n + 1}`),
    },
    words: FREQUENT,
    nowMs,
  }
  return { riches, seed, userId: me, otherId: other }
}
