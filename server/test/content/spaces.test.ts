import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { callAs, postAs, usersSeed } from '../stage/content.ts'
import { databasesOf } from '../stage/databases.ts'
import { setPair } from '../stage/pair.ts'
import { type Stage, setStage } from '../stage/postern.ts'
import { rawRows } from '../storage/samples.ts'

const seed = usersSeed('101', '102', '103')
const environment = { POSTERN_RATE_LIMITS: 'off' }
const HOUR_MS = 3_600_000

const create = (stage: Stage, userId: string, json: object) => callAs(stage, userId, 'POST', '/2/spaces', { json })
const update = (stage: Stage, userId: string, id: string, json: object) => callAs(stage, userId, 'PUT', `/2/spaces/${id}`, { json })
const get = (stage: Stage, path: string) => callAs(stage, '102', 'GET', path)

async function spaceOf(stage: Stage, userId: string, json: object): Promise<string> {
  const answer = await create(stage, userId, json)
  assert.equal(answer.status, 200, answer.text)
  return answer.body.data.id
}

const inHours = (stage: Stage, hours: number) => new Date(stage.clock.now() + hours * HOUR_MS).toISOString()

const idsOf = async (stage: Stage, path: string): Promise<string[]> => {
  const { status, body, text } = await get(stage, path)
  assert.equal(status, 200, text)
  assert.equal(body.meta.result_count, body.data?.length ?? 0)
  return (body.data ?? []).map(({ id }: { id: string }) => id)
}

const ALL =
  'created_at,creator_id,ended_at,host_ids,is_ticketed,lang,participant_count,scheduled_start,started_at,subscriber_count,title,updated_at'

for (const flavour of databasesOf(import.meta))
  suite(`spaces on ${flavour}`, () => {
    test('a space is live from its creation until its creator ends it', async () => {
      await using stage = await setStage({ flavour, seed, environment })
      const begun = new Date(stage.clock.now()).toISOString()
      const created = await create(stage, '101', { title: 'Astronomy', lang: 'en' })
      const { id } = created.body.data
      assert.match(id, /^1[a-z0-9]{12}$/)
      assert.deepEqual([created.status, created.body], [200, { data: { id, state: 'live' } }])
      const live = (await get(stage, `/2/spaces/${id}?space.fields=${ALL.replace('subscriber_count,', '')}&expansions=creator_id`)).body
      const { created_at, updated_at, started_at, ...shown } = live.data
      assert.ok(created_at >= begun)
      assert.deepEqual([updated_at, started_at], [created_at, created_at])
      assert.deepEqual(shown, {
        id,
        state: 'live',
        creator_id: '101',
        host_ids: ['101'],
        title: 'Astronomy',
        lang: 'en',
        is_ticketed: false,
        participant_count: 0,
      })
      assert.deepEqual(live.includes, { users: [{ id: '101', name: 'User 101', username: 'user101' }] })
      stage.clock.advance(HOUR_MS)
      const ended = await update(stage, '101', id, { state: 'ended', title: 'Astronomy at night' })
      assert.deepEqual([ended.status, ended.body], [200, { data: { id, state: 'ended' } }])
      const after = (await get(stage, `/2/spaces/${id}?space.fields=title,ended_at,updated_at,started_at`)).body.data
      assert.deepEqual([after.state, after.title, after.started_at], ['ended', 'Astronomy at night', started_at])
      assert.ok(Date.parse(after.ended_at) >= Date.parse(started_at) + HOUR_MS)
      assert.equal(after.updated_at, after.ended_at)
    })

    test('a scheduled space becomes live and then ends, and no state is skipped or comes again', async () => {
      await using stage = await setStage({ flavour, seed, environment })
      const scheduled_start = inHours(stage, 2)
      const created = await create(stage, '101', { title: 'Astronomy', scheduled_start, is_ticketed: true })
      const { id } = created.body.data
      assert.deepEqual(created.body, { data: { id, state: 'scheduled' } })
      const scheduled = (await get(stage, `/2/spaces/${id}?space.fields=scheduled_start,started_at,is_ticketed,lang`)).body
      assert.deepEqual(scheduled, { data: { id, state: 'scheduled', scheduled_start, is_ticketed: true } })
      const refused = async (state: string, message: string) => {
        const { status, body } = await update(stage, '101', id, { state })
        assert.deepEqual([status, body.errors], [400, [{ message, parameters: { state: [state] } }]])
      }
      await refused('ended', '$.state: a space that is scheduled cannot become ended')
      assert.deepEqual((await update(stage, '101', id, { state: 'live' })).body, { data: { id, state: 'live' } })
      assert.deepEqual((await update(stage, '101', id, { state: 'live' })).body, { data: { id, state: 'live' } })
      assert.deepEqual((await update(stage, '101', id, { state: 'ended' })).body, { data: { id, state: 'ended' } })
      await refused('live', '$.state: a space that is ended cannot become live')
    })

    test('a space is not scheduled for a time that is over', async () => {
      await using stage = await setStage({ flavour, seed, environment })
      const { status, body } = await create(stage, '101', { title: 'Astronomy', scheduled_start: inHours(stage, -1) })
      assert.deepEqual([status, body.errors[0].message], [400, '$.scheduled_start: must be a time to come'])
    })

    test('only the creator changes a space, and an unknown one is 404', async () => {
      await using stage = await setStage({ flavour, seed, environment })
      const id = await spaceOf(stage, '101', { title: 'Astronomy' })
      const foreign = await update(stage, '102', id, { state: 'ended' })
      assert.deepEqual([foreign.status, foreign.body.detail], [403, 'You are not allowed to change a space of another user.'])
      const unknown = await update(stage, '101', '1unknown', { state: 'ended' })
      assert.deepEqual(
        [unknown.status, unknown.body.detail, unknown.body.resource_type],
        [404, 'Could not find space with id: [1unknown].', 'space'],
      )
      assert.equal((await update(stage, '101', id, {})).status, 400)
    })

    test('the number of subscribers is for everybody: one who asks for all fields sees the space', async () => {
      await using stage = await setStage({ flavour, seed, environment })
      const id = await spaceOf(stage, '101', { title: 'Astronomy' })
      const path = `/2/spaces/${id}?space.fields=subscriber_count`
      assert.deepEqual((await callAs(stage, '101', 'GET', path)).body, { data: { id, state: 'live', subscriber_count: 0 } })
      assert.deepEqual((await get(stage, path)).body, { data: { id, state: 'live', subscriber_count: 0 } })
    })

    test('spaces are found by their ids, and each that is missing has its problem', async () => {
      await using stage = await setStage({ flavour, seed, environment })
      const id = await spaceOf(stage, '101', { title: 'Astronomy' })
      const { body } = await get(stage, `/2/spaces?ids=${id},1unknown`)
      assert.deepEqual(body.data, [{ id, state: 'live' }])
      assert.equal(body.errors.length, 1)
      assert.equal(body.errors[0].detail, 'Could not find space with ids: [1unknown].')
      assert.equal((await get(stage, '/2/spaces?ids=no-space')).status, 400)
    })

    test('live and scheduled spaces are found by their creators, newest first', async () => {
      await using stage = await setStage({ flavour, seed, environment })
      const first = await spaceOf(stage, '101', { title: 'First' })
      stage.clock.advance(60_000)
      const second = await spaceOf(stage, '103', { title: 'Second', scheduled_start: inHours(stage, 1) })
      stage.clock.advance(60_000)
      const ended = await spaceOf(stage, '101', { title: 'Third' })
      await update(stage, '101', ended, { state: 'ended' })
      assert.deepEqual(await idsOf(stage, '/2/spaces/by/creator_ids?user_ids=101,103'), [second, first])
      assert.deepEqual(await idsOf(stage, '/2/spaces/by/creator_ids?user_ids=102'), [])
    })

    test('a search finds live and scheduled spaces whose titles have all words, in whichever case', async () => {
      await using stage = await setStage({ flavour, seed, environment })
      const live = await spaceOf(stage, '101', { title: 'Astronomy at Night' })
      stage.clock.advance(60_000)
      const scheduled = await spaceOf(stage, '101', { title: 'Night of ASTRONOMY', scheduled_start: inHours(stage, 1) })
      const ended = await spaceOf(stage, '101', { title: 'Astronomy by day' })
      await update(stage, '101', ended, { state: 'ended' })
      assert.deepEqual(await idsOf(stage, '/2/spaces/search?query=astronomy'), [scheduled, live])
      assert.deepEqual(await idsOf(stage, '/2/spaces/search?query=night%20astronomy&state=all'), [scheduled, live])
      assert.deepEqual(await idsOf(stage, '/2/spaces/search?query=astronomy&state=live'), [live])
      assert.deepEqual(await idsOf(stage, '/2/spaces/search?query=astronomy&state=scheduled'), [scheduled])
      assert.deepEqual(await idsOf(stage, '/2/spaces/search?query=astronomy&max_results=1'), [scheduled])
      assert.deepEqual(await idsOf(stage, '/2/spaces/search?query=astro'), [])
      assert.deepEqual(await idsOf(stage, '/2/spaces/search?query=!!'), [])
    })

    test('the posts of a space are those that link to it, newest first', async () => {
      await using stage = await setStage({ flavour, seed, environment })
      const [id, other] = [await spaceOf(stage, '101', { title: 'Astronomy' }), await spaceOf(stage, '101', { title: 'Botany' })]
      const one = await postAs(stage, '103', `Join https://example.com/i/spaces/${id}`)
      await postAs(stage, '103', `Or https://example.com/i/spaces/${other}`)
      await postAs(stage, '103', `Just the id ${id}`)
      const two = await postAs(stage, '101', `https://example.com/i/spaces/${id}?s=20 now`)
      assert.deepEqual(await idsOf(stage, `/2/spaces/${id}/posts`), [two, one])
      assert.equal((await get(stage, '/2/spaces/1unknown/posts')).body.errors[0].detail, 'Could not find space with id: [1unknown].')
    })

    test('a user has at most 10 live and scheduled spaces, also when they are created at once', async () => {
      await using pair = await setPair({ flavour, seed, environment })
      const servers = [pair.one, pair.other]
      const answers = await Promise.all(
        Array.from({ length: 16 }, (_, place) => create(servers[place % 2]!, '101', { title: 'Astronomy' })),
      )
      assert.deepEqual(
        [answers.filter(({ status }) => status === 200).length, answers.filter(({ status }) => status === 403).length],
        [10, 6],
      )
      const [{ n }] = (await rawRows(pair.one.databaseUrl, 'select count(*) as n from spaces')) as [{ n: unknown }]
      assert.equal(Number(n), 10)
    })

    test('the creator of a space, and nobody else, lists who bought a ticket', async () => {
      await using stage = await setStage({ flavour, seed, environment })
      const space = { id: '1ticketed', creator_id: '101', state: 'live', title: 'Knots', is_ticketed: true, buyers: ['103', '102'] }
      const { body: report } = await stage.operator('POST', '/operator/seed', { spaces: [space] })
      assert.deepEqual(report.data.created, [{ kind: 'spaces', id: '1ticketed' }])
      const again = await stage.operator('POST', '/operator/seed', { spaces: [{ ...space, buyers: ['102', '101'] }] })
      assert.deepEqual(again.body.data.created, [{ kind: 'space_buyers', id: '1ticketed:101' }])
      const buyersOf = async (userId: string, query = '') => callAs(stage, userId, 'GET', `/2/spaces/1ticketed/buyers${query}`)
      const idsOf = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id)
      assert.deepEqual(idsOf((await buyersOf('101')).body), ['101', '102', '103'])
      const first = (await buyersOf('101', '?max_results=2')).body
      assert.deepEqual(idsOf(first), ['101', '102'])
      const second = (await buyersOf('101', `?max_results=2&pagination_token=${first.meta.next_token}`)).body
      assert.deepEqual(idsOf(second), ['103'])
      for (const user of ['102', '103']) {
        const { status, body } = await buyersOf(user)
        assert.deepEqual([status, body.detail.includes('did not create')], [403, true])
      }
      assert.notEqual((await stage.api('GET', '/2/spaces/1ticketed/buyers', { token: await stage.token() })).status, 200)
      const unknown = (await callAs(stage, '101', 'GET', '/2/spaces/1nothing/buyers')).body
      assert.deepEqual([unknown.data, unknown.errors[0].resource_type], [undefined, 'space'])
      const missing = await stage.operator('POST', '/operator/seed', { spaces: [{ ...space, id: '1other', buyers: ['999'] }] })
      assert.deepEqual([missing.status, Object.keys(missing.body.errors[0].parameters)], [400, ['spaces.0.buyers.0']])
      assert.equal((await stage.operator('DELETE', '/operator/users/102')).status, 200)
      assert.deepEqual(idsOf((await buyersOf('101')).body), ['101', '103'])
    })
  })
