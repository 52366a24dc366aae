// Who sees which post, however it is reached: alone, in a list, or in the includes of another post.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { databasesOf } from '../stage/databases.ts'
import { asUser, fullWorld } from '../stage/full-world.ts'
import { setStage } from '../stage/postern.ts'

const NOT_AUTHORIZED = 'not-authorized-for-resource'
const NOT_FOUND = 'resource-not-found'

/** By post: whose it is, and why each viewer does not see it; `undefined` for those who do. */
const posts = [
  { id: '4000', authorId: '104', app: NOT_AUTHORIZED, stranger: NOT_AUTHORIZED, follower: undefined },
  { id: '5000', authorId: '106', app: NOT_AUTHORIZED, stranger: NOT_AUTHORIZED, follower: NOT_AUTHORIZED },
  { id: '6000', authorId: '107', app: undefined, stranger: NOT_AUTHORIZED, follower: undefined },
  { id: '7000', authorId: '101', app: 'resource-unavailable', stranger: 'resource-unavailable', follower: 'resource-unavailable' },
  { id: '7001', authorId: '101', app: 'disallowed-resource', stranger: 'disallowed-resource', follower: 'disallowed-resource' },
  { id: '9999', authorId: '101', app: 'resource-not-found', stranger: 'resource-not-found', follower: 'resource-not-found' },
] as const

/** By media key: whose it is, and who else sees it. */
const media = [
  { key: '3_900', owner: '101', app: true, stranger: true, follower: true, partner: true },
  { key: '3_4000', owner: '104', app: false, stranger: false, follower: true, partner: false },
  { key: '3_5000', owner: undefined, app: false, stranger: false, follower: false, partner: false },
  { key: '3_6000', owner: '107', app: true, stranger: false, follower: true, partner: true },
  { key: '3_7000', owner: '101', app: false, stranger: false, follower: false, partner: false },
  { key: '3_7001', owner: '101', app: false, stranger: false, follower: false, partner: false },
  { key: '3_9501', owner: '101', app: false, stranger: false, follower: false, partner: true },
  { key: '3_9502', owner: '101', app: false, stranger: false, follower: false, partner: false },
] as const

const viewers = { app: undefined, stranger: '103', follower: '105' } as const

type Viewer = keyof typeof viewers

const kindOf = ({ type }: { type: string }) => type.split('/').at(-1)

for (const flavour of databasesOf(import.meta)) {
  suite(`visibility on ${flavour}`, () => {
    test('a post is hidden in the same way alone, among others, in a list and in includes', async () => {
      await using stage = await setStage({ flavour, seed: fullWorld, environment: { POSTERN_RATE_LIMITS: 'off' } })
      for (const { id, authorId, ...hidden } of posts)
        for (const viewer of Object.keys(viewers) as Viewer[]) {
          const why = hidden[viewer]
          const ask = async (path: string) => (await asUser(stage, viewers[viewer], path)).body
          const label = `${id} for ${viewer}`

          const alone = await ask(`/2/posts/${id}`)
          assert.deepEqual([alone.data?.id, alone.errors?.map(kindOf)], why ? [undefined, [why]] : [id, undefined], label)
          const among = await ask(`/2/posts?ids=1000,${id}`)
          assert.deepEqual(
            [among.data.map((post: { id: string }) => post.id), among.errors?.map(kindOf)],
            why ? [['1000'], [why]] : [['1000', id], undefined],
            `${label}, among others`,
          )
          if (id === '9999') continue
          const timeline = await ask(`/2/users/${authorId}/posts?max_results=100`)
          const listed = (timeline.data ?? []).some((post: { id: string }) => post.id === id)
          assert.equal(listed, why === undefined, `${label}, in a list`)
          const quoting = await ask(`/2/posts/8${id}?expansions=referenced_posts.id`)
          assert.equal(quoting.data.id, `8${id}`)
          assert.deepEqual(
            [quoting.includes?.posts?.[0]?.id, quoting.errors?.map(kindOf), quoting.errors?.[0]?.section],
            why ? [undefined, [why], 'includes'] : [id, undefined, undefined],
            `${label}, in includes`,
          )
        }
    })

    test('media are seen by their owner and by those who see what carries them, and are not found by others', async () => {
      await using stage = await setStage({ flavour, seed: fullWorld, environment: { POSTERN_RATE_LIMITS: 'off' } })
      for (const { key, owner, ...seenBy } of media) {
        for (const [viewer, isSeen] of Object.entries(seenBy)) {
          const userId = { ...viewers, partner: '102' }[viewer]
          const label = `${key} for ${viewer}`
          const alone = (await asUser(stage, userId, `/2/media/${key}`)).body
          assert.deepEqual([alone.data?.media_key, alone.errors?.map(kindOf)], isSeen ? [key, undefined] : [undefined, [NOT_FOUND]], label)
          const among = (await asUser(stage, userId, `/2/media?media_keys=${[...new Set(['3_900', key, '3_1'])]}`)).body
          assert.deepEqual(
            among.data.map((one: { media_key: string }) => one.media_key),
            isSeen && key !== '3_900' ? ['3_900', key] : ['3_900'],
            `${label}, among others`,
          )
        }
        if (owner !== undefined)
          assert.equal((await asUser(stage, owner, `/2/media/${key}`)).body.data.media_key, key, `${key} for its owner`)
      }
    })

    test('media are seen by their owner alone once the post that carried them is gone', async () => {
      await using stage = await setStage({ flavour, seed: fullWorld })
      assert.equal((await asUser(stage, '101', '/2/posts/2000', 'DELETE')).body.data.deleted, true)
      assert.equal((await asUser(stage, '101', '/2/media/3_900')).body.data.media_key, '3_900')
      for (const viewer of ['102', undefined])
        assert.deepEqual((await asUser(stage, viewer, '/2/media/3_900')).body.errors.map(kindOf), [NOT_FOUND])
    })

    test('media of a message are in the includes of its participants', async () => {
      await using stage = await setStage({ flavour, seed: fullWorld })
      const path = '/2/dm_conversations/101-102/dm_events?expansions=attachments.media_keys'
      for (const viewer of ['101', '102']) {
        const { body } = await asUser(stage, viewer, path)
        assert.deepEqual(body.includes.media, [{ media_key: '3_9501', type: 'photo' }])
      }
    })

    test('private fields are for the owner alone: an error names each member for anybody else', async () => {
      await using stage = await setStage({ flavour, seed: fullWorld })
      const path = '/2/posts/2000?post.fields=non_public_metrics'
      assert.deepEqual((await asUser(stage, '101', path)).body.data.non_public_metrics, {
        impression_count: 6,
        url_link_clicks: 7,
        user_profile_clicks: 8,
      })
      for (const viewer of ['102', undefined]) {
        const { status, body } = await asUser(stage, viewer, path)
        assert.deepEqual([status, body.data], [200, undefined])
        assert.deepEqual(
          body.errors.map((error: Record<string, string>) => [
            kindOf(error as { type: string }),
            error.field,
            error.resource_type,
            error.section,
          ]),
          ['impression_count', 'url_link_clicks', 'user_profile_clicks'].map((member) => [
            ...['not-authorized-for-field', `non_public_metrics.${member}`, 'post', 'data'],
          ]),
        )
      }
      const email = await asUser(stage, '102', '/2/users/101?user.fields=confirmed_email')
      assert.deepEqual([email.body.data, email.body.errors[0].field], [undefined, 'confirmed_email'])
    })

    test('an object with a refused field keeps its default fields and the others that were asked for', async () => {
      await using stage = await setStage({ flavour, seed: fullWorld })
      const members = ['impression_count', 'url_link_clicks', 'user_profile_clicks']
      const refusedOf = (id: string, asked: object) =>
        members.map((member) => ({
          field: `non_public_metrics.${member}`,
          ...asked,
          resource_id: id,
          resource_type: 'post',
          section: 'data',
        }))
      const read = async (viewer: string | undefined, path: string) => {
        const { status, body } = await asUser(stage, viewer, path)
        assert.equal(status, 200, path)
        return { ...body, errors: body.errors.map(({ type, title, detail, ...error }: Record<string, string>) => error) }
      }
      const wanted = 'post.fields=created_at,non_public_metrics'
      const ofGrace = { id: '1000', text: 'Which tide?', created_at: '2026-01-01T00:00:00.000Z' }

      const alone = await read(undefined, `/2/posts/1000?${wanted}`)
      assert.deepEqual(alone, { data: ofGrace, errors: refusedOf('1000', { parameter: 'id', value: '1000' }) })
      const among = await read('101', `/2/posts?ids=2000,1000&${wanted}`)
      const metrics = { impression_count: 6, url_link_clicks: 7, user_profile_clicks: 8 }
      const ofAda = { id: '2000', text: '@grace look at the #tide', created_at: '2026-01-02T00:00:00.000Z', non_public_metrics: metrics }
      assert.deepEqual(among, { data: [ofAda, ofGrace], errors: refusedOf('1000', { parameter: 'ids', value: '1000' }) })
      const onlyDefault = await read('101', '/2/posts/1000?post.fields=text,non_public_metrics')
      assert.deepEqual(onlyDefault.data, { id: '1000', text: 'Which tide?' })

      const included = await read(
        '102',
        '/2/posts/2000?expansions=author_id,attachments.media_keys&user.fields=confirmed_email,created_at&media.fields=width,organic_metrics',
      )
      assert.deepEqual(included.includes, {
        users: [{ id: '101', name: 'Ada', username: 'ada', created_at: '2020-01-02T03:04:05.006Z' }],
        media: [{ media_key: '3_900', type: 'video', width: 800 }],
      })
      const inIncludes = (field: string, parameter: string, id: string, resource_type: string) => ({
        field,
        parameter,
        value: id,
        resource_id: id,
        resource_type,
        section: 'includes',
      })
      assert.deepEqual(included.errors, [
        inIncludes('confirmed_email', 'author_id', '101', 'user'),
        inIncludes('organic_metrics', 'attachments.media_keys', '3_900', 'media'),
      ])
    })

    test('a list keeps the objects with refused fields, whose errors name them by id, as no parameter does', async () => {
      await using stage = await setStage({ flavour, seed: fullWorld })
      const path = '/2/users/102/posts?end_time=2026-01-02T00:00:00Z&post.fields='
      const { body } = await asUser(stage, '101', `${path}created_at,promoted_metrics`)
      const [{ type, ...error }, ...others] = body.errors
      assert.deepEqual(
        [kindOf({ type }), error, others],
        [
          'not-authorized-for-field',
          {
            field: 'promoted_metrics',
            resource_id: '1000',
            resource_type: 'post',
            section: 'data',
            title: 'Field Authorization Error',
            detail: "Sorry, you are not authorized to access 'promoted_metrics' on the Post with id : [1000].",
          },
          [],
        ],
      )
      assert.deepEqual(body.data, [{ id: '1000', text: 'Which tide?', created_at: '2026-01-01T00:00:00.000Z' }])
      assert.deepEqual(body.meta, { result_count: 1, newest_id: '1000', oldest_id: '1000' })
      const nothing = (await asUser(stage, '101', `${path}promoted_metrics`)).body
      assert.deepEqual([nothing.data, nothing.errors, nothing.meta], [undefined, body.errors, { result_count: 0 }])
    })

    test('an object goes where its parameter names refused fields alone, whatever is expanded from it', async () => {
      await using stage = await setStage({ flavour, seed: fullWorld })
      const path = '/2/posts/1000?post.fields=non_public_metrics,promoted_metrics&expansions=author_id'
      const { body } = await asUser(stage, '101', path)
      assert.deepEqual([Object.keys(body), body.errors.length], [['errors'], 4])
    })

    test('a suspended user is refused by name, one who does not exist is not found, and an id beyond 64 bits is a mistake', async () => {
      await using stage = await setStage({ flavour, seed: fullWorld })
      const { body } = await asUser(stage, undefined, '/2/users?ids=101,106,9999')
      assert.deepEqual(
        [body.data.map(({ id }: { id: string }) => id), body.errors.map(kindOf)],
        [['101'], [NOT_AUTHORIZED, 'resource-not-found']],
      )
      assert.equal((await asUser(stage, undefined, '/2/posts/9223372036854775807')).status, 200)
      for (const id of ['9223372036854775808', '99999999999999999999', 'x']) {
        const { status, body } = await asUser(stage, undefined, `/2/posts/${id}`)
        assert.deepEqual([status, body.errors[0].parameters], [400, { id: [id] }])
      }
    })
  })
}
