import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import pg from 'pg'
import { type AdsParams, adsCaller, dataOf, mistakesOf } from '../../stage/ads.ts'
import { addMedia, brand, composer, composers, POST, POSTS, postsSeed, SCHEDULED, stranger } from '../../stage/ads-posts.ts'
import { databasesOf } from '../../stage/databases.ts'
import { demoApp, type Stage, setStage } from '../../stage/postern.ts'
import { startReceiver } from '../../stage/receiver.ts'
import { ada, signed } from '../../stage/sign-in.ts'
import { adas, graces } from '../../stage/signed-calls.ts'
import { rawRows } from '../../storage/samples.ts'

const seed = postsSeed
const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

const moment = (ms: number) => new Date(ms).toISOString().replace(/\.\d+/, '')
/** The minute, some minutes from now. */
/** A whole minute: up to one minute earlier than in that many. */
const inMinutes = (stage: Stage, minutes: number) => moment(Math.floor(stage.clock.now() / MINUTE_MS + minutes) * MINUTE_MS)

const statusOf = async (stage: Stage, id: string) => dataOf(await adsCaller(stage)('GET', `${SCHEDULED}/${id}`)).scheduled_status

const finished = (stage: Stage, id: string) =>
  stage.until(async () => {
    const found = dataOf(await adsCaller(stage)('GET', `${SCHEDULED}/${id}`))
    return found.scheduled_status !== 'SCHEDULED' && found
  })

for (const flavour of databasesOf(import.meta))
  suite(`scheduled posts on ${flavour}`, () => {
    test('are created, listed, read, changed and deleted before their time', async () => {
      await using stage = await setStage({ flavour, seed })
      await addMedia(stage)
      const ads = adsCaller(stage)
      const at = inMinutes(stage, 10)
      const sent = {
        as_user_id: ada.id,
        text: 'Later',
        name: 'One',
        scheduled_at: at.replace('00Z', '42Z'),
        media_keys: ['7_7'],
        video_title: 'T',
      }
      const created = dataOf(await ads('POST', SCHEDULED, sent))
      const { id, created_at, updated_at, ...fields } = created
      assert.deepEqual(fields, {
        text: 'Later',
        name: 'One',
        user_id: ada.id,
        nullcast: true,
        card_uri: null,
        media_keys: ['7_7'],
        post_id: null,
        scheduled_status: 'SCHEDULED',
        scheduled_at: at,
        completed_at: null,
        video_cta: null,
        video_cta_value: null,
        video_title: 'T',
        video_description: null,
      })
      assert.deepEqual([created_at, typeof id], [updated_at, 'string'])
      assert.deepEqual(dataOf(await ads('GET', `${SCHEDULED}/${id}`)), created)
      const other = dataOf(await ads('POST', SCHEDULED, { as_user_id: ada.id, text: 'Second', scheduled_at: at }))
      const ofBrand = dataOf(
        await adsCaller(stage, 'production', composers)('POST', SCHEDULED, { as_user_id: brand.id, text: 'Third', scheduled_at: at }),
      )
      assert.deepEqual(dataOf(await ads('GET', SCHEDULED)), [ofBrand])
      assert.deepEqual(dataOf(await ads('GET', SCHEDULED, { user_id: ada.id })), [other, created])
      const page = await ads('GET', SCHEDULED, { user_id: ada.id, count: 1 })
      assert.deepEqual(dataOf(page), [other])
      const next = await ads('GET', SCHEDULED, { user_id: ada.id, count: 1, cursor: page.body.next_cursor })
      assert.deepEqual([dataOf(next), next.body.next_cursor], [[created], null])
      assert.deepEqual(mistakesOf(await ads('GET', SCHEDULED, { cursor: page.body.next_cursor })), [400, 'INVALID_PARAMETER cursor'])

      const [asPost] = dataOf(await ads('GET', POSTS, { post_type: 'SCHEDULED', user_id: ada.id, post_ids: [id] }))
      assert.deepEqual(
        [asPost.id_str, asPost.full_text, asPost.tweet_type, asPost.scheduled_status, asPost.scheduled_at, asPost.video_title],
        [id, 'Later', 'SCHEDULED', 'SCHEDULED', at, 'T'],
      )

      const later = inMinutes(stage, 20)
      const changed = dataOf(
        await ads('PUT', `${SCHEDULED}/${other.id}`, { text: 'Changed', scheduled_at: later, media_keys: ['3_1'], nullcast: false }),
      )
      assert.deepEqual([changed.text, changed.scheduled_at, changed.media_keys, changed.nullcast], ['Changed', later, ['3_1'], false])
      assert.deepEqual(dataOf(await ads('PUT', `${SCHEDULED}/${other.id}`, { media_keys: '' })).media_keys, [])
      assert.equal(dataOf(await ads('DELETE', `${SCHEDULED}/${id}`)).scheduled_status, 'DELETED')
      for (const method of ['GET', 'PUT', 'DELETE'])
        assert.deepEqual(mistakesOf(await ads(method, `${SCHEDULED}/${id}`)), [404, 'NOT_FOUND scheduled_post_id'], method)
      assert.deepEqual(
        dataOf(await ads('GET', SCHEDULED, { user_id: ada.id })).map(({ id }: { id: string }) => id),
        [other.id],
      )
      stage.clock.advance(DAY_MS)
      const published = await finished(stage, other.id)
      assert.deepEqual([published.scheduled_status, published.text], ['SUCCESS', 'Changed'])
      const { body } = await signed(stage, 'GET', `/2/users/${ada.id}/posts`, adas)
      assert.deepEqual(
        body.data.map(({ id, text }: Record<string, string>) => [id, text]),
        [[published.post_id, 'Changed']],
      )
    })

    test('are refused by code and parameter like posts, and for a time that is past or more than a year ahead', async () => {
      await using stage = await setStage({ flavour, seed })
      await addMedia(stage)
      const ads = adsCaller(stage)
      const at = inMinutes(stage, 10)
      const post = (params: AdsParams) => ads('POST', SCHEDULED, { as_user_id: ada.id, text: 'Later', scheduled_at: at, ...params })
      const year = inMinutes(stage, 365 * 24 * 60)
      dataOf(await post({ scheduled_at: year }))
      dataOf(await post({ scheduled_at: inMinutes(stage, 2) }))
      for (const [params, mistake] of [
        [{ scheduled_at: inMinutes(stage, 0) }, 'INVALID_PARAMETER scheduled_at'],
        [{ scheduled_at: inMinutes(stage, 365 * 24 * 60 + 2) }, 'INVALID_PARAMETER scheduled_at'],
        [{ scheduled_at: 'soon' }, 'INVALID_PARAMETER scheduled_at'],
        [{ text: 'x'.repeat(281) }, 'INVALID_PARAMETER text'],
        [{ text: '' }, 'TWEET_CANNOT_BE_BLANK text'],
        [{ media_keys: ['3_9'] }, 'INVALID_MEDIA_ID media_keys'],
        [{ media_keys: ['3_1', '7_7'] }, 'INVALID_MEDIA media_keys'],
        [{ video_title: 'x' }, 'INCLUSIVE_PARAMETERS media_keys'],
        [{ as_user_id: stranger.id }, 'INVALID_USER_ID as_user_id'],
        [{ name: 'x'.repeat(81) }, 'INVALID_PARAMETER name'],
      ] as [AdsParams, string][])
        assert.deepEqual(mistakesOf(await post(params)), [400, mistake], JSON.stringify(params).slice(0, 100))
      assert.deepEqual(mistakesOf(await ads('POST', SCHEDULED, { as_user_id: ada.id, text: 'x' })), [400, 'MISSING_PARAMETER scheduled_at'])
      const video = dataOf(await post({ media_keys: ['7_7'], video_title: 'T' }))
      const put = (params: AdsParams) => ads('PUT', `${SCHEDULED}/${video.id}`, params)
      for (const [params, mistake] of [
        [{ media_keys: '' }, 'INVALID_MEDIA media_keys'],
        [{ media_keys: ['3_1'] }, 'INVALID_MEDIA media_keys'],
        [{ scheduled_at: inMinutes(stage, -1) }, 'INVALID_PARAMETER scheduled_at'],
        [{ text: 'x'.repeat(281) }, 'INVALID_PARAMETER text'],
      ] as [AdsParams, string][])
        assert.deepEqual(mistakesOf(await put(params)), [400, mistake], JSON.stringify(params).slice(0, 100))
      const plain = dataOf(await post({ text: 'Plain' }))
      assert.deepEqual(mistakesOf(await ads('PUT', `${SCHEDULED}/${plain.id}`, { text: ' ' })), [400, 'TWEET_CANNOT_BE_BLANK text'])
      assert.deepEqual(mistakesOf(await adsCaller(stage, 'production', graces)('DELETE', `${SCHEDULED}/${plain.id}`)), [
        403,
        'ACTION_NOT_ALLOWED',
      ])
      assert.deepEqual(mistakesOf(await ads('GET', `${SCHEDULED}/1`)), [404, 'NOT_FOUND scheduled_post_id'])
    })

    test('are published at their time by one of several processes, once, as posts of v2, and announced', async () => {
      await using stage = await setStage({ flavour, seed })
      await using receiver = await startReceiver([demoApp.consumer_secret])
      const token = await stage.token()
      const webhookId = await stage.register(receiver.url, token)
      await stage.subscribe(webhookId, token, { event_type: 'post.create', filter: { user_id: ada.id } })
      const ads = adsCaller(stage)
      const at = inMinutes(stage, 3)
      const ids: string[] = []
      for (const place of [1, 2, 3, 4, 5, 6, 7, 8]) {
        const sent = { as_user_id: ada.id, text: `Number ${place}`, scheduled_at: at, nullcast: false, name: `N${place}` }
        ids.push(dataOf(await ads('POST', SCHEDULED, sent)).id)
      }
      await using others = new AsyncDisposableStack()
      if (flavour === 'postgres') others.adopt(await stage.beside(), (other) => other.stop())
      assert.equal((await signed(stage, 'GET', `/2/users/${ada.id}/posts`, adas)).body.meta.result_count, 0)
      stage.clock.advance(3 * MINUTE_MS)
      const published = await Promise.all(ids.map((id) => finished(stage, id)))
      for (const { scheduled_status, completed_at } of published)
        assert.deepEqual([scheduled_status, completed_at >= at], ['SUCCESS', true])
      const { body } = await signed(stage, 'GET', `/2/users/${ada.id}/posts?max_results=100`, adas)
      assert.deepEqual(body.data.map(({ id }: { id: string }) => id).sort(), published.map(({ post_id }) => post_id).sort())
      const [shown] = dataOf(
        await ads('GET', POSTS, { post_type: 'PUBLISHED', timeline_type: 'ORGANIC', user_id: ada.id, post_ids: [published[0].post_id] }),
      )
      assert.deepEqual([shown.name, shown.scheduled_at, shown.scheduled_status, shown.tweet_type], ['N1', at, 'SUCCESS', 'PUBLISHED'])
      const events = await receiver.received(8)
      assert.equal(new Set(events.map(({ data }) => (data!.payload as { id: string }).id)).size, 8)
      for (const method of ['PUT', 'DELETE'])
        assert.deepEqual(mistakesOf(await ads(method, `${SCHEDULED}/${ids[0]}`)), [400, 'INVALID scheduled_post_id'], method)
    })

    test('fail when they may no longer be published, and others are published all the same', async () => {
      await using stage = await setStage({ flavour, seed })
      await addMedia(stage)
      const ads = adsCaller(stage)
      const schedule = async (text: string, more: AdsParams = {}) =>
        dataOf(await ads('POST', SCHEDULED, { as_user_id: ada.id, text, scheduled_at: inMinutes(stage, 2), ...more })).id as string
      const duplicate = await schedule('Twice')
      const withMedia = await schedule('Media', { media_keys: ['3_1'] })
      const fine = await schedule('Fine', { media_keys: ['3_2'] })
      dataOf(await ads('POST', POST, { as_user_id: ada.id, text: 'Twice' }))
      await rawRows(stage.databaseUrl, "delete from media where media_key = '3_1'")
      stage.clock.advance(2 * MINUTE_MS)
      const found = await Promise.all([duplicate, withMedia, fine].map((id) => finished(stage, id)))
      assert.deepEqual(
        found.map(({ scheduled_status, post_id }) => [scheduled_status, post_id !== null]),
        [
          ['FAILED', false],
          ['FAILED', false],
          ['SUCCESS', true],
        ],
      )
    })

    test('fail when whoever created or last changed them may no longer post for the account', async () => {
      const accounts = seed.accounts?.map((account) => ({
        ...account,
        members: account.members?.map((member) => ({ ...member, ...(member.user_id === ada.id && { permissions: ['TWEET_COMPOSER'] }) })),
      }))
      const ofMember = (column: string, userId: string) => `update account_members set ${column} where user_id = '${userId}'`
      const changes: [string, (stage: Stage) => Promise<unknown>][] = [
        ['was deleted', (stage) => stage.operator('DELETE', `/operator/users/${composer.id}`)],
        ['is suspended', (stage) => stage.operator('PATCH', `/operator/users/${composer.id}`, { disabled: true })],
        ['is no member', (stage) => rawRows(stage.databaseUrl, `delete from account_members where user_id = '${composer.id}'`)],
        ['may not compose', (stage) => rawRows(stage.databaseUrl, ofMember(`permissions = '[]'`, composer.id))],
      ]
      for (const [what, happen] of changes) {
        await using stage = await setStage({ flavour, seed: { ...seed, accounts } as typeof seed })
        const ads = adsCaller(stage)
        const asComposer = adsCaller(stage, 'production', composers)
        const schedule = async (call: typeof ads, text: string, as_user_id = brand.id) =>
          dataOf(await call('POST', SCHEDULED, { as_user_id, text, scheduled_at: inMinutes(stage, 2) })).id as string
        const created = await schedule(asComposer, 'Created')
        const changed = await schedule(ads, 'Before')
        dataOf(await asComposer('PUT', `${SCHEDULED}/${changed}`, { text: 'Changed' }))
        const taken = await schedule(asComposer, 'Before')
        dataOf(await ads('PUT', `${SCHEDULED}/${taken}`, { text: 'Taken over' }))
        await happen(stage)
        stage.clock.advance(2 * MINUTE_MS)
        const found = await Promise.all([created, changed, taken].map((id) => finished(stage, id)))
        assert.deepEqual(
          found.map(({ scheduled_status, post_id }) => [scheduled_status, post_id !== null]),
          [
            ['FAILED', false],
            ['FAILED', false],
            ['SUCCESS', true],
          ],
          what,
        )
      }
    })

    test('fail when their author is no longer the full promotable user, and on the sandbox host are published all the same', async () => {
      await using stage = await setStage({ flavour, seed })
      const asComposer = adsCaller(stage, 'production', composers)
      const sent = { text: 'Later', scheduled_at: inMinutes(stage, 2) }
      const { id } = dataOf(await asComposer('POST', SCHEDULED, { ...sent, as_user_id: brand.id }))
      await rawRows(stage.databaseUrl, `update promotable_users set promotable_user_type = 'RETWEETS_ONLY' where id = 'pu1'`)
      const sandbox = adsCaller(stage, 'sandbox')
      const account = dataOf(await sandbox('POST', '/12/accounts')).id
      const ofSandbox = `/12/accounts/${account}/scheduled_posts`
      const other = dataOf(await sandbox('POST', ofSandbox, { ...sent, as_user_id: ada.id })).id
      stage.clock.advance(2 * MINUTE_MS)
      assert.equal((await finished(stage, id)).scheduled_status, 'FAILED')
      await stage.until(async () => dataOf(await sandbox('GET', `${ofSandbox}/${other}`)).scheduled_status === 'SUCCESS')
    })

    test('of a member are read and deleted by that member alone, those of the full promotable user by whoever may post as it', async () => {
      await using stage = await setStage({ flavour, seed })
      const ads = adsCaller(stage)
      const asComposer = adsCaller(stage, 'production', composers)
      const asGrace = adsCaller(stage, 'production', graces)
      const sent = { text: 'Later', scheduled_at: inMinutes(stage, 10) }
      const own = `${SCHEDULED}/${dataOf(await asComposer('POST', SCHEDULED, { ...sent, as_user_id: composer.id })).id}`
      const ofBrand = `${SCHEDULED}/${dataOf(await asComposer('POST', SCHEDULED, { ...sent, as_user_id: brand.id })).id}`
      for (const [call, method] of [
        [asGrace, 'GET'],
        [ads, 'GET'],
        [ads, 'PUT'],
        [ads, 'DELETE'],
      ] as const)
        assert.deepEqual(mistakesOf(await call(method, own)), [404, 'NOT_FOUND scheduled_post_id'], method)
      for (const call of [asGrace, ads, asComposer]) assert.equal(dataOf(await call('GET', ofBrand)).user_id, brand.id)
      for (const method of ['PUT', 'DELETE'])
        assert.deepEqual(mistakesOf(await ads(method, ofBrand)), [403, 'ACTION_NOT_ALLOWED scheduled_post_id'], method)
      for (const path of [own, ofBrand]) assert.equal(dataOf(await asComposer('DELETE', path)).scheduled_status, 'DELETED')
    })

    test('keep the media and the card that another member sends back as they are, and take no others of whoever chose them', async () => {
      const accounts = seed.accounts?.map((account) => ({
        ...account,
        members: account.members?.map((member) => ({ ...member, ...(member.user_id === ada.id && { permissions: ['TWEET_COMPOSER'] }) })),
      }))
      await using stage = await setStage({ flavour, seed: { ...seed, accounts } as typeof seed })
      await addMedia(stage)
      const sent = { as_user_id: brand.id, text: 'Later', scheduled_at: inMinutes(stage, 10), media_keys: ['3_1'] }
      const path = `${SCHEDULED}/${dataOf(await adsCaller(stage)('POST', SCHEDULED, sent)).id}`
      const asComposer = adsCaller(stage, 'production', composers)
      assert.equal(dataOf(await asComposer('PUT', path, { name: 'Named', media_keys: ['3_1'] })).name, 'Named')
      assert.deepEqual(mistakesOf(await asComposer('PUT', path, { media_keys: ['3_2'] })), [400, 'INVALID_MEDIA_ID media_keys'])
      await rawRows(stage.databaseUrl, `update scheduled_posts set card_uri = 'card://9'`)
      assert.equal(dataOf(await asComposer('PUT', path, { name: 'Again', card_uri: 'card://9' })).name, 'Again')
      assert.deepEqual(mistakesOf(await asComposer('PUT', path, { card_uri: 'card://8' })), [404, 'CARD_NOT_FOUND card_uri'])
    })

    test('that were due while no process ran are published by the next start', async () => {
      await using stage = await setStage({ flavour, seed })
      const { id } = dataOf(
        await adsCaller(stage)('POST', SCHEDULED, { as_user_id: ada.id, text: 'Late', scheduled_at: inMinutes(stage, 2) }),
      )
      await stage.stop()
      stage.clock.advance(DAY_MS)
      await stage.start()
      assert.equal((await finished(stage, id)).scheduled_status, 'SUCCESS')
      assert.equal(await statusOf(stage, id), 'SUCCESS')
    })
  })

test('a scheduled post whose author is locked by others is published a second after it was given up', async () => {
  await using stage = await setStage({ flavour: 'postgres', seed })
  const at = inMinutes(stage, 2)
  const { id } = dataOf(await adsCaller(stage)('POST', SCHEDULED, { as_user_id: ada.id, text: 'Held', scheduled_at: at }))
  const holder = new pg.Client(stage.databaseUrl)
  await holder.connect()
  try {
    await holder.query('begin')
    await holder.query('select id from users where id = $1 for update', [ada.id])
    stage.clock.advance(2 * MINUTE_MS)
    await stage.until(async () => {
      const [{ due_at_ms }] = (await holder.query('select due_at_ms from scheduled_posts')).rows
      return Date.parse(at) < Number(due_at_ms) && Number(due_at_ms) <= stage.clock.now() + 1000
    })
    await holder.query('rollback')
  } finally {
    await holder.end()
  }
  stage.clock.advance(1000)
  assert.equal((await finished(stage, id)).scheduled_status, 'SUCCESS')
})
