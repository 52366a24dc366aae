// Values that the specification and public practice list, each written out here and sent to the server.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextChallengeAtMs } from '../../src/delivery/challenge-slot.ts'
import { ACCOUNT, adsCaller, adsSeed, dataOf } from '../stage/ads.ts'
import { consenting } from '../stage/consent.ts'
import { databasesOf } from '../stage/databases.ts'
import { demoApp, setStage } from '../stage/postern.ts'
import { startReceiver } from '../stage/receiver.ts'
import { ada } from '../stage/sign-in.ts'

const MINUTE_MS = 60_000

/** A time as `yyyymmddhhmm`. */
const minuteOf = (ms: number) => new Date(ms).toISOString().replaceAll(/[-T:]/g, '').slice(0, 12)

test('a replay includes the first minute of its window and excludes the minute of to_date', async () => {
  await using stage = await setStage()
  await using receiver = await startReceiver([demoApp.consumer_secret])
  const { token, webhookId } = await stage.connect(receiver)
  const publishAtStartOfMinute = async () => {
    stage.clock.advance(MINUTE_MS - (stage.clock.now() % MINUTE_MS) + 1)
    const minute = minuteOf(stage.clock.now())
    const [uuid] = await stage.publish({ minute })
    await stage.deliveriesWhen(`event_uuid=${uuid}&state=delivered`, (found) => found.length === 1)
    return { minute, uuid }
  }
  const first = await publishAtStartOfMinute()
  const second = await publishAtStartOfMinute()
  const third = await publishAtStartOfMinute()

  const replayed = async (from_date: string, to_date: string): Promise<string[]> => {
    const answer = await stage.api('POST', '/2/webhooks/replay', { token, json: { webhook_id: webhookId, from_date, to_date } })
    assert.equal(answer.status, 200, answer.text)
    const { job_id } = answer.body
    const job = await stage.until(async () => {
      const { data } = (await stage.operator('GET', `/operator/replays/${job_id}`)).body
      return data.reported && data
    })
    const isOfJob = ({ replay_job_id }: { replay_job_id: string | null }) => replay_job_id === job_id
    const deliveries = await stage.deliveriesWhen(
      `webhook_id=${webhookId}`,
      (all) => all.flatMap(({ attempts }) => attempts).filter(isOfJob).length === job.delivered,
    )
    return deliveries.filter(({ attempts }) => attempts.some(isOfJob)).map(({ event_uuid }) => event_uuid)
  }
  assert.deepEqual(await replayed(first.minute, second.minute), [first.uuid])
  assert.deepEqual(await replayed(second.minute, third.minute), [second.uuid])
})

/** §6 and public practice: what is sent, and the canonical name that is answered when it is another. */
const EVENT_TYPES: readonly (string | [sent: string, answered: string])[] = [
  ...['dm.received', 'dm.sent', 'dm.read', 'dm.indicate_typing'],
  ...['spaces.start', 'spaces.end', 'broadcast.start', 'broadcast.end', 'broadcast.chat'],
  ...['profile.update.bio', 'profile.update.verified', 'profile.update.affiliate', 'profile.update.screenname'],
  ...[
    'profile.update.profile_picture',
    'profile.update.banner_picture',
    'profile.update.geo',
    'profile.update.url',
    'profile.update.handle',
  ],
  ...['follow.follow', 'follow.unfollow', 'like.create', 'mute.mute', 'mute.unmute', 'block.block', 'block.unblock'],
  ...['chat.received', 'chat.sent', 'chat.conversation_join', 'chat.update.group_name', 'chat.update.restrictions'],
  ...['chat.conversation.member_added', 'chat.conversation.member_removed'],
  ...['chat.conversation.admin_added', 'chat.conversation.admin_removed'],
  ...['post.create', 'post.delete', 'post.mention.create', 'post.reply.create', 'post.quote.create', 'post.repost.create'],
  'oauth.revoke',
  ['ProfileBioUpdate', 'profile.update.bio'],
  ['ProfilePictureUpdate', 'profile.update.profile_picture'],
  ['ProfileBannerUpdate', 'profile.update.banner_picture'],
  ['ProfileBannerPictureUpdate', 'profile.update.banner_picture'],
  ['ProfileScreennameUpdate', 'profile.update.screenname'],
  ['ProfileGeoUpdate', 'profile.update.geo'],
  ['ProfileUrlUpdate', 'profile.update.url'],
  ['ProfileVerifiedBadgeUpdate', 'profile.update.verified'],
  ['ProfileAffiliateBadgeUpdate', 'profile.update.affiliate'],
  ['ProfileHandleUpdate', 'profile.update.handle'],
  ['profile.update.verified_badge', 'profile.update.verified'],
  ['profile.update.affiliate_badge', 'profile.update.affiliate'],
  ['chat.conversation.join', 'chat.conversation_join'],
  ['FollowFollow', 'follow.follow'],
  ['FollowUnfollow', 'follow.unfollow'],
]

/** Those whose filter names a keyword and no user. */
const OF_KEYWORDS: typeof EVENT_TYPES = ['news.new', ['NewsNew', 'news.new']]

test('every event type and every other spelling can be subscribed to, and is answered by its canonical name', async () => {
  const users = EVENT_TYPES.map((_, place) => String(1000 + place))
  await using stage = await setStage({ seed: consenting({ apps: [demoApp] }, ...users) })
  await using receiver = await startReceiver([demoApp.consumer_secret])
  const token = await stage.token()
  const webhookId = await stage.register(receiver.url, token)
  const subscribe = async (type: (typeof EVENT_TYPES)[number], filter: Record<string, string>) => {
    const [sent, answered] = typeof type === 'string' ? [type, type] : type
    const json = { event_type: sent, filter, webhook_id: webhookId }
    const answer = await stage.api('POST', '/2/activity/subscriptions', { token, json })
    assert.equal(answer.status, 200, `${sent}: ${answer.text}`)
    assert.equal(answer.body.data.subscription.event_type, answered)
  }
  for (const [place, type] of EVENT_TYPES.entries()) await subscribe(type, { user_id: String(1000 + place) })
  for (const [place, type] of OF_KEYWORDS.entries()) await subscribe(type, { keyword: `word${place}` })

  const json = { event_type: 'dm.deleted', filter: { user_id: '1' }, webhook_id: webhookId }
  assert.equal((await stage.api('POST', '/2/activity/subscriptions', { token, json })).status, 400)
})

/** Event types whose filter may name a direction (§6), and those whose filter may name a keyword beside a user. */
const WITH_DIRECTION = [
  ...['dm.received', 'dm.sent', 'dm.read', 'dm.indicate_typing', 'chat.received', 'chat.sent'],
  // Public practice: done by the user, or to the user.
  ...['follow.follow', 'follow.unfollow', 'like.create'],
]
const WITH_KEYWORD = ['post.create', 'post.mention.create', 'post.reply.create', 'post.quote.create', 'post.repost.create']
const OF_USER_ALONE = ['profile.update.bio', 'mute.mute', 'block.block', 'post.delete', 'spaces.start']

test('a filter may name a direction for messages, chats, follows and likes, a keyword for posts, and neither for the rest', async () => {
  await using stage = await setStage({ seed: consenting({ apps: [demoApp] }, '1') })
  const token = await stage.token()
  const statusOf = async (event_type: string, filter: Record<string, string>) =>
    (await stage.api('POST', '/2/activity/subscriptions', { token, json: { event_type, filter } })).status
  for (const [types, direction, keyword] of [
    [WITH_DIRECTION, 200, 400],
    [WITH_KEYWORD, 400, 200],
    [OF_USER_ALONE, 400, 400],
  ] as const)
    for (const type of types) {
      assert.equal(await statusOf(type, { user_id: '1', direction: 'sent' }), direction, `${type} with a direction`)
      assert.equal(await statusOf(type, { user_id: '1', keyword: 'word' }), keyword, `${type} with a keyword`)
    }
})

/** §4.8. */
const INDUSTRIES = [
  ...['AGENCY', 'BUSINESS_TO_BUSINESS', 'ONLINE_SERVICES', 'EDUCATION', 'FINANCIAL', 'HEALTH', 'GOVERNMENT'],
  ...['MEDIA', 'MOBILE', 'RESTAURANT', 'RETAIL', 'TECHNOLOGY', 'TRAVEL', 'OTHER'],
]

test('an account may have every industry', async () => {
  await using stage = await setStage({ seed: adsSeed })
  const ads = adsCaller(stage)
  for (const industry_type of INDUSTRIES) {
    assert.equal(dataOf(await ads('PUT', `/12/accounts/${ACCOUNT}`, { industry_type })).industry_type, industry_type)
  }
})

for (const flavour of databasesOf(import.meta)) {
  test(`${flavour}: a list without count has 200 records and a cursor to the rest`, async () => {
    const members = [{ user_id: ada.id, role: 'ACCOUNT_ADMIN' }]
    const accounts = Array.from({ length: 201 }, (_, place) => ({ id: `a${place.toString(36)}`, name: `Account ${place}`, members }))
    await using stage = await setStage({ flavour, seed: { ...adsSeed, accounts } as typeof adsSeed })
    const ads = adsCaller(stage)
    const first = await ads('GET', '/12/accounts')
    assert.equal(dataOf(first).length, 200)
    const rest = await ads('GET', '/12/accounts', { cursor: first.body.next_cursor })
    assert.deepEqual([dataOf(rest).length, rest.body.next_cursor], [1, null])
    assert.equal((await ads('GET', '/12/accounts', { count: 1000 })).body.data.length, 201)
    assert.deepEqual(
      [await ads('GET', '/12/accounts', { count: 1001 }), await ads('GET', '/12/accounts', { count: 0 })].map((answer) => answer.status),
      [400, 400],
    )
  })

  test(`${flavour}: an app keeps its one bearer token over a restart`, async () => {
    await using stage = await setStage({ flavour })
    const token = await stage.token()
    assert.equal(await stage.token(), token)
    await stage.restart()
    assert.equal(await stage.token(), token)
    assert.equal((await stage.api('GET', '/2/webhooks', { token })).status, 200)
  })
}

test('each webhook is challenged once an hour, at its own time of the hour', () => {
  const startMs = Date.UTC(2026, 2, 1, 12)
  for (const id of ['1', '77', '1997712707928100864']) {
    const firstMs = nextChallengeAtMs(id, startMs)
    assert.ok(firstMs > startMs && firstMs <= startMs + 3_600_000)
    assert.equal(nextChallengeAtMs(id, firstMs - 1), firstMs, 'nothing is due between two challenges')
    assert.deepEqual([nextChallengeAtMs(id, firstMs), nextChallengeAtMs(id, firstMs + 1)], [firstMs + 3_600_000, firstMs + 3_600_000])
  }
})
