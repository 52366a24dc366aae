import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { ACCOUNT, adsCaller, adsSeed, dataOf, mistakesOf } from '../../stage/ads.ts'
import { LISTS, operationErrorsOf, remove, seedWithAudiences, sendBody, sha, update, usersFrom } from '../../stage/ads-audiences.ts'
import { databasesOf } from '../../stage/databases.ts'
import { setStage } from '../../stage/postern.ts'
import { graces } from '../../stage/signed-calls.ts'

const h = sha('x')
const BATCH = `/12/batch/accounts/${ACCOUNT}/do_not_reach_lists/d1/users`
const seed = seedWithAudiences([], { do_not_reach_lists: [{ id: 'd1' }] })

for (const flavour of databasesOf(import.meta))
  suite(`do-not-reach lists on ${flavour}`, () => {
    test('an account has one list, which is created, read and deleted', async () => {
      await using stage = await setStage({ flavour, seed: adsSeed })
      const ads = adsCaller(stage)
      const created = dataOf(await ads('POST', LISTS, { description: 'Asked not to' }))
      const { id, created_at, updated_at, ...fields } = created
      assert.deepEqual(fields, {
        name: 'Do Not Reach List',
        description: 'Asked not to',
        list_size: null,
        targetable: false,
        reasons_not_targetable: ['PROCESSING', 'TOO_SMALL'],
        deleted: false,
      })
      assert.deepEqual(mistakesOf(await ads('POST', LISTS)), [400, 'INVALID'])
      assert.deepEqual(dataOf(await ads('GET', LISTS)), [created])
      assert.deepEqual(dataOf(await ads('GET', `${LISTS}/${id}`)), created)
      const deleted = dataOf(await ads('DELETE', `${LISTS}/${id}`))
      assert.deepEqual([deleted.deleted, deleted.reasons_not_targetable], [true, ['TOO_SMALL']])
      for (const method of ['GET', 'DELETE']) assert.deepEqual(mistakesOf(await ads(method, `${LISTS}/${id}`)), [404, 'NOT_FOUND'])
      assert.deepEqual(dataOf(await ads('GET', LISTS)), [])
      assert.deepEqual(dataOf(await ads('GET', LISTS, { with_deleted: true })), [deleted])
      assert.equal(dataOf(await ads('POST', LISTS)).description, null)
    })

    test('a batch repeats each operation without its users', async () => {
      await using stage = await setStage({ flavour, seed })
      const expires_at = new Date(stage.clock.now() + 86_400_000).toISOString().replace(/\.\d+Z/, 'Z')
      const users = [{ email: [h], phone_number: [sha('1')] }, ...usersFrom(0, 120)]
      const answer = await sendBody(stage, BATCH, [update(users, { expires_at }), remove(usersFrom(0, 1))])
      assert.deepEqual(answer.body, {
        request: [
          { params: { account_id: ACCOUNT, do_not_reach_list_id: 'd1', expires_at }, operation_type: 'Update' },
          { params: { account_id: ACCOUNT, do_not_reach_list_id: 'd1' }, operation_type: 'Delete' },
        ],
        data: [{ success_count: 122, total_count: 122 }],
      })
      const list = dataOf(await adsCaller(stage)('GET', `${LISTS}/d1`))
      assert.deepEqual([list.list_size, list.targetable, list.reasons_not_targetable], [120, true, []])
      stage.clock.advance(86_401_000)
      const later = dataOf(await adsCaller(stage)('GET', `${LISTS}/d1`))
      assert.deepEqual([later.list_size, later.reasons_not_targetable], [0, ['TOO_SMALL']])
    })

    test('a batch repeats what was sent as it was sent, also what is not known, wrong or null, and no users', async () => {
      await using stage = await setStage({ flavour, seed })
      const params = { account_id: ACCOUNT, do_not_reach_list_id: 'd1' }
      const more = { foo: 'BAR', expires_at: null, list: [1, { a: null }] }
      const answer = await sendBody(stage, BATCH, [update([{ email: [h] }], { ...more, account_id: 'other' })])
      assert.deepEqual(answer.body.request, [{ params: { ...more, ...params }, operation_type: 'Update' }])
      const wrong = [
        update([{ email: [h] }], { effective_at: '2030-01-01', expires_at: 'soon' }),
        { operation_type: 'Nope', params: { users: [{ email: [h] }] } },
        { operation_type: 7, params: 'none' },
        { params: {} },
        'nothing',
      ]
      const refused = await sendBody(stage, BATCH, wrong)
      assert.equal(refused.status, 400)
      assert.deepEqual(refused.body.request, [
        { params: { effective_at: '2030-01-01', expires_at: 'soon', ...params }, operation_type: 'Update' },
        { params, operation_type: 'Nope' },
        { params, operation_type: 7 },
        { params },
        { params },
      ])
    })

    test('what a batch repeats is bounded: 16 KB besides users and times, and 2,500 operations with an end of their own', async () => {
      await using stage = await setStage({ flavour, seed })
      const long = await sendBody(stage, BATCH, [update([{ email: [h] }], { foo: 'x'.repeat(17_000) })])
      assert.deepEqual(
        [long.status, long.body.errors[0].message],
        [400, 'Expected at most 16384 characters besides users and times in a request'],
      )
      const within = await sendBody(stage, BATCH, [update([{ email: [h] }], { foo: 'x'.repeat(16_000) })])
      assert.equal(within.status, 200, within.text)
      const expires_at = new Date(stage.clock.now() + 86_400_000).toISOString()
      const many = await sendBody(
        stage,
        BATCH,
        Array.from({ length: 2500 }, () => update([{ email: [h] }], { expires_at })),
      )
      assert.deepEqual([many.status, many.body.request.length], [200, 2500])
    })

    test('it takes emails and phone numbers, ends of at most 13 months, and no begin', async () => {
      await using stage = await setStage({ flavour, seed })
      const operations = [
        update([{ email: [h] }], { effective_at: '2030-01-01' }),
        update([{ handle: [h] }]),
        update([{ email: [h] }], { expires_at: '2099-01-01' }),
        update([{ email: [h] }], { expires_at: '2020-01-01' }),
        update([{ email: ['plain'], phone_number: ['plain'] }]),
        update([{ email: [h] }]),
      ]
      const answer = await sendBody(stage, BATCH, operations)
      assert.deepEqual(operationErrorsOf(answer), [
        400,
        '0 INVALID_PARAMETER effective_at',
        '1 INVALID_PARAMETER handle',
        '2 INVALID_TIME_WINDOW expires_at',
        '3 INVALID_TIME_WINDOW expires_at',
        '4 INVALID_PARAMETER email',
        '4 INVALID_PARAMETER phone_number',
      ])
      assert.deepEqual(
        [answer.body.request.length, answer.body.request[1]],
        [6, { params: { account_id: ACCOUNT, do_not_reach_list_id: 'd1' }, operation_type: 'Update' }],
      )
      assert.equal(dataOf(await adsCaller(stage)('GET', `${LISTS}/d1`)).list_size, null)
    })

    test('a deletion takes effect at once, so its end may lie beyond 13 months', async () => {
      await using stage = await setStage({ flavour, seed })
      const { status, text } = await sendBody(stage, BATCH, [remove([{ email: [h] }], { expires_at: '2099-01-01' })])
      assert.equal(status, 200, text)
    })

    test('a list that does not exist is 404, and a role that only reads is 403', async () => {
      await using stage = await setStage({ flavour, seed })
      const unknown = await sendBody(stage, BATCH.replace('d1', 'd2'), [update([{ email: [h] }])])
      assert.deepEqual(mistakesOf(unknown), [404, 'NOT_FOUND'])
      const refused = await sendBody(stage, BATCH, [update([{ email: [h] }])], { credentials: graces })
      assert.deepEqual(mistakesOf(refused), [403, 'ACTION_NOT_ALLOWED'])
    })
  })
