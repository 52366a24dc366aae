import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { callAs, postAs, usersSeed } from '../stage/content.ts'
import { databasesOf } from '../stage/databases.ts'
import { demoApp, type Stage, setStage } from '../stage/postern.ts'

const seed = usersSeed('101', '102')

const update = (stage: Stage, form: Record<string, string>, path = '/1.1/account/update_profile') =>
  callAs(stage, '101', 'POST', path, { form })

const profileOf = async (stage: Stage, fields: string) =>
  (await callAs(stage, '102', 'GET', `/2/users/101?user.fields=${fields}`)).body.data

const pin = (stage: Stage, userId: string, id: string, path = 'pin_post') =>
  callAs(stage, userId, 'POST', `/1.1/account/${path}`, { form: { id } })
const pinned = async (stage: Stage) => (await profileOf(stage, 'pinned_post_id')).pinned_post_id

for (const flavour of databasesOf(import.meta))
  suite(`profiles on ${flavour}`, () => {
    test('users are looked up by usernames in whichever case, and each only once', async () => {
      await using stage = await setStage({ flavour, seed })
      const lookUp = (usernames: string) => callAs(stage, '102', 'GET', `/2/users/by?usernames=${usernames}`)
      const found = await lookUp('USER102,user101')
      assert.deepEqual(
        found.body.data.map(({ id }: { id: string }) => id),
        ['102', '101'],
      )
      for (const [repeated, message] of [
        ['user101,user101', /`usernames`.* must not have the same item twice/],
        ['User101,user102,user101', /^`usernames` must not have the same username twice, in whichever case\.$/],
      ] as const) {
        const refused = await lookUp(repeated)
        assert.equal(refused.status, 400, refused.text)
        assert.match(refused.body.errors[0].message, message)
      }
    })

    test('a malformed username is refused with the pattern of usernames, alone and among others', async () => {
      await using stage = await setStage({ flavour, seed })
      for (const [path, name, sent, wrong] of [
        ['/2/users/by/username/a-b', 'username', 'a-b', 'a-b'],
        ['/2/users/by/username/abcdefghijklmnop', 'username', 'abcdefghijklmnop', 'abcdefghijklmnop'],
        ['/2/users/by?usernames=a-b', 'usernames', 'a-b', 'a-b'],
        ['/2/users/by?usernames=user101,a-b,user102,c.d', 'usernames', 'user101,a-b,user102,c.d', 'a-b,c.d'],
      ] as const) {
        const { status, body } = await callAs(stage, '102', 'GET', path)
        const message = `The \`${name}\` query parameter value [${wrong}] does not match ^[A-Za-z0-9_]{1,15}$`
        assert.deepEqual([status, body.errors], [400, [{ message, parameters: { [name]: [sent] } }]], path)
      }
    })

    test('a profile is changed with its entities, and what is not sent stays', async () => {
      await using stage = await setStage({ flavour, seed })
      const first = await update(stage, { name: 'Ada', description: 'I am @user102 #math', location: 'London', url: 'example.com/ada' })
      assert.equal(first.status, 200, first.text)
      const { created_at, ...user } = first.body
      assert.deepEqual(user, {
        id: 101,
        id_str: '101',
        name: 'Ada',
        screen_name: 'user101',
        description: 'I am @user102 #math',
        location: 'London',
        url: 'http://example.com/ada',
      })
      assert.match(created_at, /^\w{3} \w{3} \d\d \d\d:\d\d:\d\d \+0000 \d{4}$/)
      assert.deepEqual(await profileOf(stage, 'description,location,url,entities'), {
        id: '101',
        name: 'Ada',
        username: 'user101',
        description: 'I am @user102 #math',
        location: 'London',
        url: 'http://example.com/ada',
        entities: {
          url: {
            urls: [
              {
                start: 0,
                end: 22,
                url: 'http://example.com/ada',
                expanded_url: 'http://example.com/ada',
                display_url: 'example.com/ada',
              },
            ],
          },
          description: { hashtags: [{ start: 14, end: 19, tag: 'math' }], mentions: [{ start: 5, end: 13, username: 'user102' }] },
        },
      })
      const second = await update(stage, { description: '' }, '/1.1/account/update_profile.json')
      assert.deepEqual([second.status, second.body.name, second.body.description, second.body.location], [200, 'Ada', '', 'London'])
      assert.deepEqual(Object.keys((await profileOf(stage, 'entities')).entities), ['url'])
    })

    test('a new name is seen at once by whoever asks who signed', async () => {
      await using stage = await setStage({ flavour, seed })
      await callAs(stage, '101', 'GET', '/1.1/account/verify_credentials')
      await update(stage, { name: 'Ada' })
      assert.equal((await callAs(stage, '101', 'GET', '/1.1/account/verify_credentials')).body.name, 'Ada')
    })

    test('a member that is too long, an empty name and what is no address are refused, and nothing is changed', async () => {
      await using stage = await setStage({ flavour, seed })
      const wrong = {
        name: 'x'.repeat(51),
        description: 'x'.repeat(161),
        location: 'x'.repeat(31),
        url: `http://example.com/${'x'.repeat(82)}`,
      }
      for (const [member, value] of [...Object.entries(wrong), ['name', ''], ['url', 'no address'], ['url', 'javascript:alert(1)']]) {
        const { status, body } = await update(stage, { location: 'Paris', [member!]: value! })
        assert.deepEqual([status, body.errors[0].code], [403, 38], `${member}=${value}`)
      }
      assert.equal((await profileOf(stage, 'location')).location, undefined)
    })

    test('an own post is pinned instead of another, unpinned, and no longer pinned once it is deleted', async () => {
      await using stage = await setStage({ flavour, seed })
      const [one, two] = [await postAs(stage, '101', 'One'), await postAs(stage, '101', 'Two')]
      assert.deepEqual((await pin(stage, '101', one)).body, { pinned_posts: [one] })
      assert.deepEqual((await pin(stage, '101', two, 'pin_tweet.json')).body, { pinned_posts: [two] })
      assert.equal(await pinned(stage), two)
      assert.deepEqual((await pin(stage, '101', one, 'unpin_post')).body, { pinned_posts: [two] })
      assert.deepEqual((await pin(stage, '101', two, 'unpin_post')).body, { pinned_posts: [] })
      assert.equal(await pinned(stage), undefined)
      await pin(stage, '101', one)
      await callAs(stage, '101', 'DELETE', `/2/posts/${one}`)
      assert.equal(await pinned(stage), undefined)
    })

    test('neither a post of another user, nor a repost, nor what does not exist can be pinned', async () => {
      await using stage = await setStage({ flavour, seed })
      const post = await postAs(stage, '102', 'Hello')
      const repost = (await callAs(stage, '101', 'POST', '/2/users/101/reposts', { json: { post_id: post } })).body.data.id
      const refusal = async (id: string) => {
        const { status, body } = await pin(stage, '101', id)
        return [status, body.errors[0].code]
      }
      assert.deepEqual(
        [await refusal(post), await refusal(repost), await refusal('1')],
        [
          [403, 220],
          [403, 220],
          [404, 144],
        ],
      )
      assert.equal(await pinned(stage), undefined)
    })

    test('a token that may only read changes nothing', async () => {
      const { tokens, ...others } = seed
      await using stage = await setStage({
        flavour,
        seed: {
          ...others,
          apps: [{ ...demoApp, permissions: 'read' }],
          tokens: tokens!.map((token) => ({ ...token, permissions: 'read' as const })),
        },
      })
      const answer = await update(stage, { name: 'Ada' })
      assert.deepEqual([answer.status, answer.body.errors[0].code], [403, 261])
      const liked = await callAs(stage, '101', 'POST', '/2/users/101/likes', { json: { post_id: '1' } })
      assert.deepEqual([liked.status, liked.body.type.split('/').at(-1)], [403, 'oauth1-permissions'])
    })
  })
