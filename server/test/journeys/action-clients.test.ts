// What the client that most programs use does, unmodified, reaches the webhooks of its app, in the words of dialect `x`.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TwitterApi } from 'twitter-api-v2'
import type { SeedDocument } from '../../src/endpoints/operator/seed/seed-document.ts'
import { databasesOf } from '../stage/databases.ts'
import type { Heard, Wanted } from '../stage/heard.ts'
import { demoApp, otherApp } from '../stage/postern.ts'
import { startReceiver } from '../stage/receiver.ts'
import { asTheirHosts } from '../stage/their-hosts.ts'

const users = [
  { id: '101', username: 'ada', name: 'Ada' },
  { id: '102', username: 'grace', name: 'Grace' },
]

/** Both apps have a token of each user. */
const seed: SeedDocument = {
  apps: [demoApp, otherApp].map((app) => ({ ...app, permissions: 'read_write_dm' })),
  users,
  tokens: [demoApp, otherApp].flatMap(({ consumer_key }, place) =>
    users.map(({ id }) => ({ consumer_key, user_id: id, oauth_token: `${id}-token-${place}`, oauth_token_secret: `secret-of-${id}` })),
  ),
}

/** What each user of the conversation may hear. */
const WANTED: Wanted[] = [
  ['post.mention.create', '102'],
  ['post.repost.create', '101'],
  ['post.delete', '101'],
  ['like.create', '101', 'received'],
  ['follow.follow', '102', 'sent'],
  ['dm.sent', '101'],
  ['dm.received', '102'],
  ['dm.indicate_typing', '101'],
  ['dm.read', '101'],
]

for (const flavour of databasesOf(import.meta))
  test(`twitter-api-v2 on ${flavour}: what two users do reaches both apps that share a callback, each event once per app`, async () => {
    await using hosts = await asTheirHosts(seed, flavour)
    await using receiver = await startReceiver([demoApp.consumer_secret, otherApp.consumer_secret])
    const { stage } = hosts
    for (const app of [demoApp, otherApp]) {
      const token = await stage.token(app)
      const webhookId = await stage.register(receiver.url, token)
      for (const [event_type, user_id, direction] of WANTED)
        await stage.subscribe(webhookId, token, { event_type, filter: { user_id, ...(direction && { direction }) } })
    }
    const of = (id: string) => {
      const credentials = { appKey: demoApp.consumer_key, appSecret: demoApp.consumer_secret }
      const settings = { httpAgent: hosts.agent }
      return new TwitterApi({ ...credentials, accessToken: `${id}-token-0`, accessSecret: `secret-of-${id}` }, settings)
    }
    const [ada, grace] = [of('101'), of('102')]

    const { data: post } = await ada.v2.tweet('Low tide at noon, @grace')
    await grace.v2.like('102', post.id)
    await grace.v2.retweet('102', post.id)
    await grace.v2.follow('102', '101')
    const { data: message } = (await ada.v2.sendDmToParticipant('102', { text: 'Boat or bus?' })) as unknown as {
      data: { dm_event_id: string }
    }
    await grace.v1.indicateDmTyping('101')
    await grace.v1.markDmAsRead(message.dm_event_id, '101')
    await ada.v2.deleteTweet(post.id)

    await receiver.when(() => receiver.posts === 2 * WANTED.length)
    const heard = receiver.events.map(({ data }) => data as unknown as Heard)
    assert.equal(heard.length, WANTED.length)
    assert.deepEqual(
      heard.map(({ event_type, filter }) => `${event_type} ${filter.user_id}`).sort(),
      WANTED.map(([type, id]) => `${type} ${id}`).sort(),
    )
    const said = (type: string) => heard.find(({ event_type }) => event_type === type)!
    const { id: _, created_at, timestamp_ms, ...like } = said('like.create').payload
    assert.deepEqual(like, { liked_tweet_id: post.id, liked_tweet_author_id: '101' })
    assert.deepEqual(said('post.repost.create').payload.referenced_tweets, [{ type: 'retweeted', id: post.id }])
    assert.equal(said('post.repost.create').includes.tweets[0].public_metrics.retweet_count_str, '1')
    assert.deepEqual(said('post.mention.create').payload.edit_history_tweet_ids, [post.id])
    assert.equal(said('post.delete').includes.users[0].data.public_metrics.tweet_count, 0)
    assert.equal(said('dm.read').payload.direct_message_mark_read_events[0].last_read_event_id, message.dm_event_id)
  })
