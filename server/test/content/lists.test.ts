import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { callAs, postAs, usersSeed } from '../stage/content.ts'
import { databasesOf } from '../stage/databases.ts'
import { setPair } from '../stage/pair.ts'
import { type Stage, setStage } from '../stage/postern.ts'
import { rawRows } from '../storage/samples.ts'

const seed = usersSeed('101', '102', '103', '104')
const environment = { POSTERN_RATE_LIMITS: 'off' }

async function createList(stage: Stage, userId: string, json: Record<string, unknown> = {}): Promise<string> {
  const answer = await callAs(stage, userId, 'POST', '/2/lists', { json: { name: 'Astronomers', ...json } })
  assert.equal(answer.status, 200, answer.text)
  return answer.body.data.id
}

const addMember = (stage: Stage, userId: string, list: string, user_id: string) =>
  callAs(stage, userId, 'POST', `/2/lists/${list}/members`, { json: { user_id } })
const removeMember = (stage: Stage, userId: string, list: string, member: string) =>
  callAs(stage, userId, 'DELETE', `/2/lists/${list}/members/${member}`)
const follow = (stage: Stage, userId: string, list_id: string) =>
  callAs(stage, userId, 'POST', `/2/users/${userId}/followed_lists`, { json: { list_id } })
const pin = (stage: Stage, userId: string, list_id: string) =>
  callAs(stage, userId, 'POST', `/2/users/${userId}/pinned_lists`, { json: { list_id } })
const update = (stage: Stage, userId: string, list: string, json: object) => callAs(stage, userId, 'PUT', `/2/lists/${list}`, { json })
const get = (stage: Stage, userId: string, path: string) => callAs(stage, userId, 'GET', path)

const idsOf = async (stage: Stage, userId: string, path: string): Promise<string[]> => {
  const { status, body, text } = await get(stage, userId, path)
  assert.equal(status, 200, text)
  assert.equal(body.meta.result_count, body.data?.length ?? 0)
  return (body.data ?? []).map(({ id }: { id: string }) => id)
}

const listedCount = async (stage: Stage, userId: string): Promise<number> =>
  (await get(stage, '104', `/2/users/${userId}?user.fields=public_metrics`)).body.data.public_metrics.listed_count

const countsOf = async (stage: Stage, userId: string, list: string) => {
  const { member_count, follower_count } = (await get(stage, userId, `/2/lists/${list}?list.fields=member_count,follower_count`)).body.data
  return { member_count, follower_count }
}

const notFound = (id: string, parameter = 'id') => ({
  value: id,
  parameter,
  resource_id: id,
  resource_type: 'list',
  title: 'Not Found Error',
  detail: `Could not find list with ${parameter}: [${id}].`,
})

for (const flavour of databasesOf(import.meta))
  suite(`lists on ${flavour}`, () => {
    test('a list is created, read, changed and deleted by its owner', async () => {
      await using stage = await setStage({ flavour, seed, environment })
      const created = await callAs(stage, '101', 'POST', '/2/lists', {
        json: { name: 'Astronomers', description: 'Who look up', private: false },
      })
      const { id } = created.body.data
      assert.deepEqual([created.status, created.body], [200, { data: { id, name: 'Astronomers' } }])
      const all = `/2/lists/${id}?list.fields=created_at,description,follower_count,member_count,owner_id,private&expansions=owner_id`
      const read = await get(stage, '102', all)
      const { created_at, ...shown } = read.body.data
      assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      assert.deepEqual(shown, {
        id,
        name: 'Astronomers',
        description: 'Who look up',
        owner_id: '101',
        follower_count: 0,
        member_count: 0,
        private: false,
      })
      assert.deepEqual(read.body.includes, { users: [{ id: '101', name: 'User 101', username: 'user101' }] })
      const changed = await update(stage, '101', id, { name: 'Stargazers' })
      assert.deepEqual([changed.status, changed.body], [200, { data: { updated: true } }])
      const after = await get(stage, '102', `/2/lists/${id}?list.fields=description`)
      assert.deepEqual(after.body, { data: { id, name: 'Stargazers', description: 'Who look up' } })
      assert.equal((await update(stage, '101', id, {})).status, 400)
      const deleted = await callAs(stage, '101', 'DELETE', `/2/lists/${id}`)
      assert.deepEqual([deleted.status, deleted.body], [200, { data: { deleted: true } }])
      const gone = await get(stage, '101', `/2/lists/${id}`)
      const { type, ...error } = gone.body.errors[0]
      assert.deepEqual([gone.status, gone.body.data, error], [200, undefined, notFound(id)])
      assert.match(type, /\/resource-not-found$/)
      assert.equal((await callAs(stage, '101', 'DELETE', `/2/lists/${id}`)).status, 404)
    })

    test('names have 1 to 25 characters, descriptions up to 100', async () => {
      await using stage = await setStage({ flavour, seed, environment })
      const statusOf = async (json: object) => (await callAs(stage, '101', 'POST', '/2/lists', { json })).status
      assert.equal(await statusOf({ name: 'x'.repeat(25), description: 'x'.repeat(100) }), 200)
      for (const wrong of [{}, { name: '' }, { name: 'x'.repeat(26) }, { name: 'x', description: 'x'.repeat(101) }])
        assert.equal(await statusOf(wrong), 400, JSON.stringify(wrong))
    })

    test('only the owner changes a list and its members', async () => {
      await using stage = await setStage({ flavour, seed, environment })
      const list = await createList(stage, '101')
      const refused = [
        await update(stage, '102', list, { name: 'Mine' }),
        await callAs(stage, '102', 'DELETE', `/2/lists/${list}`),
        await addMember(stage, '102', list, '102'),
        await removeMember(stage, '102', list, '102'),
      ]
      for (const { status, body } of refused)
        assert.deepEqual([status, body.detail], [403, 'You are not allowed to change a list of another user.'])
    })

    test('members are listed newest first in pages, and counted once for the list and the user', async () => {
      await using stage = await setStage({ flavour, seed, environment })
      const list = await createList(stage, '101')
      for (const member of ['102', '103', '104', '102']) {
        const { status, body } = await addMember(stage, '101', list, member)
        assert.deepEqual([status, body], [200, { data: { is_member: true } }])
      }
      assert.deepEqual(await idsOf(stage, '102', `/2/lists/${list}/members`), ['104', '103', '102'])
      const first = await get(stage, '102', `/2/lists/${list}/members?max_results=2`)
      assert.deepEqual(
        first.body.data.map(({ id }: { id: string }) => id),
        ['104', '103'],
      )
      const next = `/2/lists/${list}/members?max_results=2&pagination_token=${first.body.meta.next_token}`
      assert.deepEqual(await idsOf(stage, '102', next), ['102'])
      assert.deepEqual(await idsOf(stage, '101', '/2/users/102/list_memberships'), [list])
      assert.deepEqual([await countsOf(stage, '102', list), await listedCount(stage, '102')], [{ member_count: 3, follower_count: 0 }, 1])
      for (const _ of ['once', 'twice']) {
        const { status, body } = await removeMember(stage, '101', list, '102')
        assert.deepEqual([status, body], [200, { data: { is_member: false } }])
      }
      assert.deepEqual([await countsOf(stage, '102', list), await listedCount(stage, '102')], [{ member_count: 2, follower_count: 0 }, 0])
      assert.deepEqual(await idsOf(stage, '101', '/2/users/102/list_memberships'), [])
    })

    test('a user who does not exist, is suspended or blocks the owner is not added', async () => {
      await using stage = await setStage({ flavour, seed, environment })
      const list = await createList(stage, '101')
      const unknown = await addMember(stage, '101', list, '999')
      assert.deepEqual([unknown.status, unknown.body.parameter, unknown.body.resource_type], [404, 'user_id', 'user'])
      await rawRows(stage.databaseUrl, `insert into relations (relation, source, target, position) values ('block', '102', '101', 1)`)
      const blocking = await addMember(stage, '101', list, '102')
      assert.deepEqual([blocking.status, blocking.body.detail], [403, 'The user blocks you.'])
      await stage.operator('PATCH', '/operator/users/103', { disabled: true })
      const suspended = await addMember(stage, '101', list, '103')
      assert.deepEqual([suspended.status, suspended.body.detail], [403, 'The user is suspended.'])
      assert.deepEqual(await countsOf(stage, '101', list), { member_count: 0, follower_count: 0 })
    })

    test('the posts of a list are those of its members, newest first', async () => {
      await using stage = await setStage({ flavour, seed, environment })
      const list = await createList(stage, '101')
      await addMember(stage, '101', list, '102')
      await addMember(stage, '101', list, '103')
      const [one, two] = [await postAs(stage, '102', 'One'), await postAs(stage, '103', 'Two')]
      await postAs(stage, '104', 'Not of a member')
      const three = await postAs(stage, '102', 'Three')
      assert.deepEqual(await idsOf(stage, '104', `/2/lists/${list}/posts`), [three, two, one])
      const page = await get(stage, '104', `/2/lists/${list}/posts?max_results=1&expansions=author_id`)
      assert.deepEqual(page.body.data, [{ id: three, text: 'Three', author_id: '102' }])
      assert.deepEqual(page.body.includes, { users: [{ id: '102', name: 'User 102', username: 'user102' }] })
      const next = `/2/lists/${list}/posts?max_results=1&pagination_token=${page.body.meta.next_token}`
      assert.deepEqual(await idsOf(stage, '104', next), [two])
    })

    test('in dialect x the posts of a list are tweets', async () => {
      await using stage = await setStage({ flavour, seed, environment: { ...environment, POSTERN_DIALECT: 'x' } })
      const list = await createList(stage, '101')
      await addMember(stage, '101', list, '102')
      const created = await callAs(stage, '102', 'POST', '/2/tweets', { json: { text: 'Hello' } })
      const { id } = created.body.data
      for (const path of [`/2/lists/${list}/tweets?tweet.fields=author_id`, `/2/lists/${list}/posts?post.fields=author_id`]) {
        const { body } = await get(stage, '101', path)
        assert.deepEqual(body.data, [{ id, text: 'Hello', author_id: '102', edit_history_tweet_ids: [id] }])
      }
    })

    test('a list is followed and pinned by others, each listed for the user', async () => {
      await using stage = await setStage({ flavour, seed, environment })
      const [one, two] = [await createList(stage, '101'), await createList(stage, '101', { name: 'Second' })]
      for (const list of [one, two, one]) {
        const [followed, pinned] = [await follow(stage, '102', list), await pin(stage, '102', list)]
        assert.deepEqual([followed.status, followed.body], [200, { data: { following: true } }])
        assert.deepEqual([pinned.status, pinned.body], [200, { data: { pinned: true } }])
      }
      assert.deepEqual(await idsOf(stage, '101', '/2/users/101/owned_lists'), [two, one])
      assert.deepEqual(await idsOf(stage, '103', '/2/users/102/followed_lists'), [two, one])
      assert.deepEqual(await idsOf(stage, '102', '/2/users/102/pinned_lists'), [two, one])
      assert.deepEqual(await idsOf(stage, '103', `/2/lists/${one}/followers`), ['102'])
      assert.deepEqual(await countsOf(stage, '103', one), { member_count: 0, follower_count: 1 })
      for (const _ of ['once', 'twice']) {
        const unfollowed = await callAs(stage, '102', 'DELETE', `/2/users/102/followed_lists/${one}`)
        assert.deepEqual([unfollowed.status, unfollowed.body], [200, { data: { following: false } }])
        const unpinned = await callAs(stage, '102', 'DELETE', `/2/users/102/pinned_lists/${one}`)
        assert.deepEqual([unpinned.status, unpinned.body], [200, { data: { pinned: false } }])
      }
      assert.deepEqual(await idsOf(stage, '103', '/2/users/102/followed_lists'), [two])
      assert.deepEqual(await idsOf(stage, '102', '/2/users/102/pinned_lists'), [two])
      assert.deepEqual(await countsOf(stage, '103', one), { member_count: 0, follower_count: 0 })
    })

    test('pinned lists are for the user alone, and nobody follows or pins for another', async () => {
      await using stage = await setStage({ flavour, seed, environment })
      const list = await createList(stage, '101')
      assert.equal((await get(stage, '103', '/2/users/102/pinned_lists')).status, 400)
      for (const path of ['followed_lists', 'pinned_lists']) {
        assert.equal((await callAs(stage, '103', 'POST', `/2/users/102/${path}`, { json: { list_id: list } })).status, 400)
        assert.equal((await callAs(stage, '103', 'DELETE', `/2/users/102/${path}/${list}`)).status, 400)
      }
      const app = await stage.api('GET', '/2/users/102/pinned_lists', { token: await stage.token() })
      assert.equal(app.status, 403)
    })

    test('whoever the owner blocks does not follow or pin', async () => {
      await using stage = await setStage({ flavour, seed, environment })
      const list = await createList(stage, '101')
      await rawRows(stage.databaseUrl, `insert into relations (relation, source, target, position) values ('block', '101', '102', 1)`)
      for (const { status, body } of [await follow(stage, '102', list), await pin(stage, '102', list)])
        assert.deepEqual([status, body.detail], [403, 'The owner of the list blocks you.'])
    })

    test('a private list is answered to anybody but its owner as one that does not exist', async () => {
      await using stage = await setStage({ flavour, seed, environment })
      const list = await createList(stage, '101', { private: true })
      assert.equal((await addMember(stage, '101', list, '102')).status, 200)
      const token = await stage.token()
      const unknown = '1111111111111111111'
      const reads = ['', '/members', '/followers', '/posts'].map((path) => ['GET', (id: string) => `/2/lists/${id}${path}`] as const)
      for (const [method, path] of reads) {
        const answers = await Promise.all([list, unknown].map((id) => callAs(stage, '102', method, path(id))))
        assert.equal(answers[0]!.text.replaceAll(list, unknown), answers[1]!.text)
        assert.equal(answers[0]!.status, 200)
        const { type, ...error } = answers[0]!.body.errors[0]
        assert.deepEqual([error, answers[0]!.body.data], [notFound(list), undefined])
        assert.equal((await stage.api(method, path(list), { token })).text, answers[0]!.text)
        assert.equal((await callAs(stage, '101', method, path(list))).body.errors, undefined)
      }
      const writes = async (id: string) => [
        await update(stage, '102', id, { name: 'Mine' }),
        await callAs(stage, '102', 'DELETE', `/2/lists/${id}`),
        await addMember(stage, '102', id, '103'),
        await removeMember(stage, '102', id, '103'),
        await follow(stage, '102', id),
        await callAs(stage, '102', 'DELETE', `/2/users/102/followed_lists/${id}`),
        await pin(stage, '102', id),
        await callAs(stage, '102', 'DELETE', `/2/users/102/pinned_lists/${id}`),
      ]
      const [ofPrivate, ofUnknown] = [await writes(list), await writes(unknown)]
      for (const [place, { status, text }] of ofPrivate.entries()) {
        assert.equal(status, 404)
        assert.equal(text.replaceAll(list, unknown), ofUnknown[place]!.text)
      }
      assert.deepEqual(await idsOf(stage, '102', '/2/users/101/owned_lists'), [])
      assert.deepEqual(await idsOf(stage, '102', '/2/users/102/list_memberships'), [])
      assert.deepEqual(await idsOf(stage, '101', '/2/users/102/list_memberships'), [list])
      assert.equal(await listedCount(stage, '102'), 0)
    })

    test('a list that becomes private leaves the counts of its members and keeps only what its owner has of it', async () => {
      await using stage = await setStage({ flavour, seed, environment })
      const list = await createList(stage, '101')
      await addMember(stage, '101', list, '102')
      for (const user of ['101', '103']) {
        await follow(stage, user, list)
        await pin(stage, user, list)
      }
      assert.deepEqual([await countsOf(stage, '101', list), await listedCount(stage, '102')], [{ member_count: 1, follower_count: 2 }, 1])
      await update(stage, '101', list, { private: true })
      assert.deepEqual([await countsOf(stage, '101', list), await listedCount(stage, '102')], [{ member_count: 1, follower_count: 1 }, 0])
      await update(stage, '101', list, { private: true })
      await update(stage, '101', list, { private: false })
      assert.deepEqual([await countsOf(stage, '101', list), await listedCount(stage, '102')], [{ member_count: 1, follower_count: 1 }, 1])
      assert.deepEqual(await idsOf(stage, '103', `/2/lists/${list}/followers`), ['101'])
      assert.deepEqual(await idsOf(stage, '103', '/2/users/103/pinned_lists'), [])
      assert.deepEqual(await idsOf(stage, '101', '/2/users/101/pinned_lists'), [list])
    })

    test('a deleted list leaves nothing: no membership, follower, pin or count', async () => {
      await using stage = await setStage({ flavour, seed, environment })
      const list = await createList(stage, '101')
      await addMember(stage, '101', list, '102')
      await follow(stage, '103', list)
      await pin(stage, '103', list)
      assert.equal((await callAs(stage, '101', 'DELETE', `/2/lists/${list}`)).status, 200)
      assert.equal(await listedCount(stage, '102'), 0)
      assert.deepEqual(await idsOf(stage, '103', '/2/users/103/followed_lists'), [])
      assert.deepEqual(await rawRows(stage.databaseUrl, `select * from relations where relation like 'list%'`), [])
    })

    test('a deleted user leaves no list, membership, follower, pin or count', async () => {
      await using stage = await setStage({ flavour, seed, environment })
      const [own, other] = [await createList(stage, '101'), await createList(stage, '103')]
      await addMember(stage, '101', own, '102')
      await addMember(stage, '103', other, '101')
      await addMember(stage, '103', other, '102')
      for (const [user, list] of [
        ['102', own],
        ['101', other],
        ['102', other],
      ] as const) {
        await follow(stage, user, list)
        await pin(stage, user, list)
      }
      assert.deepEqual([await countsOf(stage, '103', other), await listedCount(stage, '102')], [{ member_count: 2, follower_count: 2 }, 2])
      assert.equal((await stage.operator('DELETE', '/operator/users/101')).status, 200)
      assert.deepEqual([await countsOf(stage, '103', other), await listedCount(stage, '102')], [{ member_count: 1, follower_count: 1 }, 1])
      const left = await rawRows(
        stage.databaseUrl,
        `select relation, source, target from relations where relation like 'list%' order by relation`,
      )
      assert.deepEqual(left, [
        { relation: 'list_follower', source: '102', target: other },
        { relation: 'list_member', source: other, target: '102' },
        { relation: 'list_pin', source: '102', target: other },
      ])
    })

    test('a seeded list has the members, followers and pins of its seed, and only a public one counts as listed', async () => {
      const lists = [
        { id: '801', owner_id: '101', name: 'Public', members: ['102'], followers: ['103'], pinned_by: ['103'] },
        { id: '802', owner_id: '101', name: 'Private', private: true, members: ['102'], followers: ['101'] },
      ]
      await using stage = await setStage({ flavour, seed: { ...seed, lists }, environment })
      assert.deepEqual(await idsOf(stage, '103', '/2/lists/801/members'), ['102'])
      assert.deepEqual(await idsOf(stage, '103', '/2/lists/801/followers'), ['103'])
      assert.deepEqual(await idsOf(stage, '103', '/2/users/103/followed_lists'), ['801'])
      assert.deepEqual(await idsOf(stage, '103', '/2/users/103/pinned_lists'), ['801'])
      assert.deepEqual(await idsOf(stage, '101', '/2/lists/802/members'), ['102'])
      assert.deepEqual(await countsOf(stage, '103', '801'), { member_count: 1, follower_count: 1 })
      assert.deepEqual(await countsOf(stage, '101', '802'), { member_count: 1, follower_count: 1 })
      assert.equal(await listedCount(stage, '102'), 1)
    })

    test('the lists of an unknown or suspended user have the problem of the user', async () => {
      await using stage = await setStage({ flavour, seed, environment })
      await stage.operator('PATCH', '/operator/users/103', { disabled: true })
      for (const path of ['owned_lists', 'list_memberships', 'followed_lists']) {
        const unknown = await get(stage, '101', `/2/users/999/${path}`)
        assert.deepEqual([unknown.status, unknown.body.data, unknown.body.errors[0].title], [200, undefined, 'Not Found Error'])
        assert.equal(unknown.body.errors[0].detail, 'Could not find user with id: [999].')
        const suspended = await get(stage, '101', `/2/users/103/${path}`)
        assert.deepEqual([suspended.status, suspended.body.errors[0].title], [200, 'Authorization Error'])
      }
    })

    test('counters are exact when many change one list at once', async () => {
      const members = Array.from({ length: 12 }, (_, place) => String(201 + place))
      await using pair = await setPair({ flavour, environment, seed: usersSeed('101', '104', ...members) })
      const servers = [pair.one, pair.other]
      const list = await createList(pair.one, '101')
      const atOnce = (act: (stage: Stage, member: string) => Promise<{ status: number; text: string }>) =>
        Promise.all(
          members.flatMap((member) =>
            servers.map(async (stage) => {
              const { status, text } = await act(stage, member)
              assert.equal(status, 200, text)
            }),
          ),
        )
      await atOnce((stage, member) => addMember(stage, '101', list, member))
      await atOnce((stage, member) => follow(stage, member, list))
      assert.deepEqual(await countsOf(pair.one, '101', list), { member_count: 12, follower_count: 12 })
      const isOdd = (member: string) => Number(member) % 2 === 1
      await Promise.all([
        atOnce((stage, member) => update(stage, '101', list, { private: isOdd(member) })),
        atOnce((stage, member) => (isOdd(member) ? addMember(stage, '101', list, member) : removeMember(stage, '101', list, member))),
      ])
      await update(pair.one, '101', list, { private: false })
      assert.deepEqual((await countsOf(pair.one, '101', list)).member_count, 6)
      for (const member of members) assert.equal(await listedCount(pair.one, member), Number(member) % 2, member)
    })
  })
