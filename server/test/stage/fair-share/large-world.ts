import { DatabaseSync } from 'node:sqlite'
import { pino } from 'pino'
import { writeWorld } from '../../../scripts/world/write-world.ts'
import { accountResources } from '../../../src/endpoints/ads/resources/index.ts'
import { Account } from '../../../src/endpoints/ads/resources/account.ts'
import { recordTypes } from '../../../src/endpoints/index.ts'
import type { SeedDocument } from '../../../src/endpoints/operator/seed/seed-document.ts'
import { createClock } from '../../../src/lib/clock.ts'
import { createSeal } from '../../../src/lib/seal.ts'
import type { AnyResource } from '../../../src/api/records/resource.ts'
import { openDatabase } from '../../../src/storage/open-database.ts'
import { fillRecords, insertRows, recordOf } from '../fill-records.ts'
import { ACCOUNT, FUNDING } from '../ads.ts'
import { demoApp, otherApp, SECRET } from '../postern.ts'
import type { Riches } from './dearest-request.ts'

export interface WorldSize { users: number; posts: number; records: number; relations: number }

type Row = Record<string, unknown>

/** The credentials of the app whose requests are dear, for its user. */
export const tokenOf = (userId: string, name: string) => ({ consumer_key: demoApp.consumer_key, oauth_token: `${userId}-${name}`, oauth_token_secret: 'secret' })

/** Words of generated posts, the most frequent first. */
const FREQUENT = `the to and a of in is it you that for on with this was my have are not be at we so but just all me what out up as your like if from one by
  about they now today can do when get more day time good no there how an new or who would been will our go love their people think know`.split(/\s+/)

/** Fills a database; answers what it is richest in, and the seed of those who ask. */
export async function fillWorld(path: string, size: WorldSize, nowMs: number): Promise<{ riches: Riches; seed: SeedDocument; userId: string }> {
  const url = `sqlite:${path}`
  const database = await openDatabase({ url, clock: createClock(), seal: createSeal([SECRET]), recordTypes, logger: pino({ level: 'silent' }) })
  if (!process.env.PROBE_WORLD || process.env.PROBE_WORLD === 'small') await writeWorld(database.storage.content, { users: size.users, posts: size.posts, random: 1, untilMs: nowMs })
  await database.close()
  using file = new DatabaseSync(path)
  const keys = (sql: string) => { const s = file.prepare(sql); s.setReadBigInts(true); return s.all().map((row) => String(Object.values(row)[0])) }
  const userIds = keys('select user_id from profiles order by followers_count desc, user_id limit 3000')
  const me = userIds[0]!
  const postIds = keys('select id from posts order by id desc limit 5000')
  const popular = keys("select target from relations where relation = 'like' group by target order by count(*) desc limit 1")[0] ?? postIds[0]!
  const names = keys('select username from users limit 100')
  const mediaKeys = keys('select media_key from media limit 100')
  file.close()
  const position = (place: number) => String(9_000_000 + place)
  const related = (relation: string, ids: readonly string[], outward = true): Row[] =>
    ids.filter((id) => id !== me && (outward || true)).slice(0, size.relations).map((id, place) => ({ relation, source: outward ? me : id, target: outward ? id : popular, position: position(place) }))
  const spaceIds = Array.from({ length: Math.min(100, size.relations) }, (_, place) => `1space${place}`)
  const listIds = Array.from({ length: Math.min(500, size.relations) }, (_, place) => String(4000 + place))
  {
    using file = new DatabaseSync(path)
    file.exec(`delete from relations where (relation in ('follow','like') and source='${me}') or (relation='like' and target='${popular}')`)
    file.close()
  }
  const insert = async (table: string, rows: Row[]) => { if (rows.length > 0) await insertRows(url, table, rows) }
  const inList = (relation: string, ids: readonly string[], target: string): Row[] => ids.slice(0, size.relations).map((id, place) => ({ relation, source: id, target, position: position(place) }))
  void inList
  await insert('relations', [...related('follow', userIds), ...related('mute', userIds.slice(-1500)), ...related('like', postIds), ...related('bookmark', postIds), ...related('like', userIds, false)])
  await insert('lists', listIds.map((id) => ({ id, owner_id: me, name: `List ${id}`, description: 'x'.repeat(100), private: false, created_at_ms: nowMs, member_count: 0, follower_count: 0 })))
  await insert('spaces', spaceIds.map((id) => ({ id, creator_id: me, title: 'x'.repeat(70), state: 'live', lang: 'en', is_ticketed: false, created_at_ms: nowMs, updated_at_ms: nowMs, participant_count: 1, subscriber_count: 1 })))
  await insert('dm_events', Array.from({ length: size.relations }, (_, place) => ({ id: position(place), conversation_id: `${me}-${userIds[1]}`, event_type: 'MessageCreate', sender_id: me, text: 'x'.repeat(2000), created_at_ms: nowMs })))
  const records: Row[] = []
  void records
  for (const resource of accountResources as readonly AnyResource[]) {
    const all = Array.from({ length: size.records }, (_, n) => recordOf(resource, n, 'a'))
    if (all.length > 0) await fillRecords(url, resource, { account_id: ACCOUNT }, all)
  }
  await insert('product_catalogs', [{ id: '1', host: 'production', user_id: me, name: 'Shop', next_position: 100000, created_at_ms: nowMs }].slice(0, 0))
  void Account
  const seed = {
    apps: [
      { ...demoApp, id: '7001', permissions: 'read_write_dm', ads_access: true, early_access: ['catalogs', 'account_history'], callback_urls: ['http://127.0.0.1:3009/cb'], sign_in_with_service: true, activity_enrolled: true, oauth2_client_id: 'client', oauth2_client_type: 'confidential', oauth2_client_secret: 'client-secret' },
      { ...otherApp, id: '7002' },
    ],
    users: [{ id: me, username: names[0], name: 'Me' }],
    tokens: ['main', 'spare'].map((name) => ({ ...tokenOf(me, name), user_id: me })),
    accounts: [{ id: ACCOUNT, name: 'Ads', members: [{ user_id: me, role: 'ACCOUNT_ADMIN' }], funding_instruments: [{ id: FUNDING, type: 'CREDIT_CARD', currency: 'USD' }] }],
    product_catalogs: [{ id: '7001', user_id: me, name: 'Shop', products: Array.from({ length: Math.min(500, size.records) }, (_, n) => productOf(n)) }],
    lists: [{ id: '3999', owner_id: me, name: 'Members', members: userIds.slice(0, Math.min(1000, size.relations)), followers: userIds.slice(0, Math.min(1000, size.relations)) }],
    subscriptions: Array.from({ length: Math.min(1000, size.relations) }, (_, n) => ({ consumer_key: demoApp.consumer_key, event_type: 'profile.update.bio', filter: { user_id: userIds[n % userIds.length] }, tag: `t${n}`.padEnd(200, 'x') })),
  } as unknown as SeedDocument
  const riches: Riches = {
    inPath: [
      ['/2/posts/', 'id', popular],
      ['/2/lists/', 'id', '3999'],
      ['/2/spaces/', 'id', spaceIds[0] ?? '1space0'],
      ['/2/dm_conversations/', 'id', `${me}-${userIds[1]}`],
      ['/2/dm_conversations/', 'participant_id', userIds[1]!],
      ['/2/users/', 'id', me],
      ['/2/users/', 'source_user_id', me],
      ['/2/users/by/', 'username', names[0]!],
      ['/2/media', 'media_key', mediaKeys[0] ?? '3_1'],
      ['/2/dm_events/', 'event_id', position(0)],
      ['/12/', 'account_id', ACCOUNT],
      ['/5/', 'account_id', ACCOUNT],
      ['/12/', 'product_catalog_id', '7001'],
      ...(accountResources as readonly AnyResource[]).flatMap((resource) => [resource.title.toLowerCase().replaceAll(' ', '_') + '_id', resource.key].map((name) => ['/12/accounts', name, String(recordOf(resource, 0, 'a')[resource.key])] as const)),
    ],
    lists: {
      '/2/posts ids': postIds,
      '/2/users ids': userIds,
      '/2/users/by usernames': names,
      '/2/spaces ids': spaceIds,
      '/2/spaces/by/creator_ids user_ids': [me],
      '/2/media media_keys': mediaKeys,
      '/12/accounts/:account_id/cards/all card_uris': Array.from({ length: 200 }, (_, n) => `card://${n + 1}`),
    },
    words: FREQUENT,
    nowMs,
  }
  return { riches, seed, userId: me }
}

export const productOf = (n: number, description = 'x'.repeat(1000)) => ({
  id: `p${n}`, title: 'Cup', description, availability: 'in stock', condition: 'new', brand: 'x', price: '1.00 USD', link: 'https://shop.example/p', image_link: 'https://shop.example/p.png',
})
