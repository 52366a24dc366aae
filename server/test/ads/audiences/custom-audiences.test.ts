import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { ACCOUNT, adsCaller, dataOf, mistakesOf } from '../../stage/ads.ts'
import { AUDIENCES, seedWithAudiences, sendBody, update, usersFrom } from '../../stage/ads-audiences.ts'
import { databasesOf } from '../../stage/databases.ts'
import { setStage } from '../../stage/postern.ts'
import { graces } from '../../stage/signed-calls.ts'

const seed = seedWithAudiences([])
const named = (records: { name: string }[]) => records.map(({ name }) => name)

for (const flavour of databasesOf(import.meta))
  suite(`custom audiences on ${flavour}`, () => {
    test('an audience is created, read, listed, updated and deleted', async () => {
      await using stage = await setStage({ flavour, seed })
      const ads = adsCaller(stage)
      const created = dataOf(await ads('POST', AUDIENCES, { name: 'Customers', description: 'of last year' }))
      const { id, created_at, updated_at, ...fields } = created
      assert.deepEqual(fields, {
        name: 'Customers',
        description: 'of last year',
        audience_type: 'CRM',
        partner_source: 'OTHER',
        audience_size: null,
        targetable: false,
        targetable_types: ['CRM', 'EXCLUDED_CRM'],
        reasons_not_targetable: ['PROCESSING', 'TOO_SMALL'],
        is_owner: true,
        owner_account_id: ACCOUNT,
        permission_level: 'READ_WRITE',
        deleted: false,
      })
      assert.equal(created_at, updated_at)
      const path = `${AUDIENCES}/${id}`
      assert.deepEqual(
        dataOf(
          await ads('GET', path.toUpperCase().replace('/CUSTOM_AUDIENCES/', '/custom_audiences/').replace('/ACCOUNTS/', '/accounts/')),
        ),
        created,
      )
      assert.deepEqual(dataOf(await ads('GET', AUDIENCES)), [created])
      stage.clock.advance(1000)
      const updated = dataOf(await ads('PUT', path, { name: 'Clients', description: '' }))
      assert.deepEqual({ ...updated, updated_at }, { ...created, name: 'Clients', description: null })
      assert.notEqual(updated.updated_at, updated_at)
      const deleted = dataOf(await ads('DELETE', path))
      assert.deepEqual([deleted.deleted, deleted.targetable, deleted.reasons_not_targetable], [true, false, ['TOO_SMALL']])
      for (const method of ['GET', 'PUT', 'DELETE'])
        assert.deepEqual(mistakesOf(await ads(method, path, { name: 'x' })), [404, 'TAILORED_AUDIENCE_NOT_FOUND'], method)
      assert.deepEqual(mistakesOf(await sendBody(stage, `${path}/users`, [update(usersFrom(1, 1))])), [404, 'TAILORED_AUDIENCE_NOT_FOUND'])
      assert.deepEqual(dataOf(await ads('GET', AUDIENCES)), [])
      assert.deepEqual(dataOf(await ads('GET', AUDIENCES, { with_deleted: true })), [deleted])
      assert.deepEqual(dataOf(await ads('GET', path, { with_deleted: true })), deleted)
    })

    test('a name is unique among the audiences of an account that exist', async () => {
      await using stage = await setStage({ flavour, seed })
      const ads = adsCaller(stage)
      const first = dataOf(await ads('POST', AUDIENCES, { name: 'One' }))
      const second = dataOf(await ads('POST', AUDIENCES, { name: 'one' }))
      assert.deepEqual(mistakesOf(await ads('POST', AUDIENCES, { name: 'One' })), [400, 'INVALID name'])
      assert.deepEqual(mistakesOf(await ads('PUT', `${AUDIENCES}/${second.id}`, { name: 'One' })), [400, 'INVALID name'])
      assert.equal(dataOf(await ads('PUT', `${AUDIENCES}/${first.id}`, { name: 'One' })).name, 'One')
      assert.deepEqual(mistakesOf(await ads('POST', AUDIENCES, {})), [400, 'MISSING_PARAMETER name'])
      dataOf(await ads('DELETE', `${AUDIENCES}/${first.id}`))
      dataOf(await ads('POST', AUDIENCES, { name: 'One' }))
    })

    test('a list is filtered, searched and sorted, and says the size of each audience', async () => {
      const audiences = ['Beta', 'alpha', 'Alps'].map((name, index) => ({ id: `a${index}`, name }))
      await using stage = await setStage({ flavour, seed: seedWithAudiences(audiences) })
      const ads = adsCaller(stage)
      dataOf(await sendBody(stage, `${AUDIENCES}/a1/users`, [update(usersFrom(0, 100))]))
      dataOf(await sendBody(stage, `${AUDIENCES}/a2/users`, [update(usersFrom(0, 99))]))
      const list = dataOf(await ads('GET', AUDIENCES, { sort_by: 'name-asc' }))
      assert.deepEqual(
        list.map(({ name, audience_size, targetable, reasons_not_targetable: reasons }: Record<string, unknown>) => [
          name,
          audience_size,
          targetable,
          reasons,
        ]),
        [
          ['Alps', 99, false, ['TOO_SMALL']],
          ['Beta', null, false, ['PROCESSING', 'TOO_SMALL']],
          ['alpha', 100, true, []],
        ],
      )
      assert.deepEqual(named(dataOf(await ads('GET', AUDIENCES, { q: 'AL', sort_by: 'name-asc' }))), ['Alps', 'alpha'])
      assert.deepEqual(named(dataOf(await ads('GET', AUDIENCES, { custom_audience_ids: ['a0'] }))), ['Beta'])
      const page = await ads('GET', AUDIENCES, { count: 2, sort_by: 'name-desc' })
      assert.deepEqual(named(dataOf(page)), ['alpha', 'Beta'])
      const next = await ads('GET', AUDIENCES, { count: 2, sort_by: 'name-desc', cursor: page.body.next_cursor })
      assert.deepEqual([named(dataOf(next)), next.body.next_cursor], [['Alps'], null])
      assert.equal((await ads('GET', AUDIENCES, { with_total_count: true })).body.total_count, 3)
    })

    test('only roles for audiences change them', async () => {
      await using stage = await setStage({ flavour, seed: seedWithAudiences() })
      const analyst = adsCaller(stage, 'production', graces)
      assert.equal(dataOf(await analyst('GET', AUDIENCES)).length, 1)
      const refused = [
        await analyst('POST', AUDIENCES, { name: 'x' }),
        await analyst('PUT', `${AUDIENCES}/a1`, { name: 'x' }),
        await analyst('DELETE', `${AUDIENCES}/a1`),
        await sendBody(stage, `${AUDIENCES}/a1/users`, [update(usersFrom(1, 1))], { credentials: graces }),
      ]
      for (const answer of refused) assert.deepEqual(mistakesOf(answer), [403, 'ACTION_NOT_ALLOWED'])
    })

    test('the audiences of a deleted audience are forgotten, and its id is not used again', async () => {
      await using stage = await setStage({ flavour, seed: seedWithAudiences() })
      const ads = adsCaller(stage)
      dataOf(await sendBody(stage, `${AUDIENCES}/a1/users`, [update(usersFrom(0, 5))]))
      dataOf(await ads('DELETE', `${AUDIENCES}/a1`))
      assert.equal(dataOf(await ads('GET', `${AUDIENCES}/a1`, { with_deleted: true })).audience_size, null)
    })
  })
