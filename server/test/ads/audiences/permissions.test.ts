import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { ACCOUNT, adsCaller, dataOf, mistakesOf } from '../../stage/ads.ts'
import { AUDIENCES, otherAccounts, seedWithAudiences, sendBody, update, usersFrom } from '../../stage/ads-audiences.ts'
import type { Answer } from '../../stage/call.ts'
import { databasesOf } from '../../stage/databases.ts'
import { setStage } from '../../stage/postern.ts'
import { graces } from '../../stage/signed-calls.ts'

const TAILORED = `/5/accounts/${ACCOUNT}/tailored_audiences/a1/permissions`
const CUSTOM = `${AUDIENCES}/a1/permissions`
const SAME = '/12/accounts/same/custom_audiences'
const OTHER = '/12/accounts/other/custom_audiences'

const audiences = [
  { id: 'a1', name: 'Customers' },
  { id: 'a2', name: 'Visitors' },
]
const seed = seedWithAudiences(audiences, { business_id: 'b1' }, otherAccounts)
const withFeature = seedWithAudiences(audiences, { business_id: 'b1', features: ['SHARE_AUDIENCE_OUTSIDE_BUSINESS'] }, otherAccounts)
const readOnly = (granted_account_id: string) => ({ granted_account_id, permission_level: 'READ_ONLY' })

for (const flavour of databasesOf(import.meta))
  suite(`permissions of audiences on ${flavour}`, () => {
    test('a permission is the same on /5/ and /12/, under the names of each', async () => {
      await using stage = await setStage({ flavour, seed })
      const ads = adsCaller(stage)
      const answer = await ads('POST', TAILORED, { granted_account_id: 'SAME', permission_level: 'READ_ONLY' })
      const { id, created_at, updated_at, ...fields } = dataOf(answer)
      assert.deepEqual(fields, { tailored_audience_id: 'a1', granted_account_id: 'same', permission_level: 'READ_ONLY', deleted: false })
      assert.deepEqual(answer.body.request.params, {
        account_id: ACCOUNT,
        tailored_audience_id: 'a1',
        granted_account_id: 'SAME',
        permission_level: 'READ_ONLY',
      })
      const { tailored_audience_id, ...common } = dataOf(answer)
      assert.deepEqual(dataOf(await ads('GET', TAILORED)), [dataOf(answer)])
      assert.deepEqual(dataOf(await ads('GET', CUSTOM)), [{ ...common, custom_audience_id: tailored_audience_id }])
      stage.clock.advance(1000)
      const revoked = dataOf(await ads('DELETE', `${CUSTOM}/${id}`))
      assert.deepEqual({ ...revoked, updated_at }, { ...common, custom_audience_id: 'a1', deleted: true })
      assert.notEqual(revoked.updated_at, updated_at)
      for (const path of [TAILORED, CUSTOM]) {
        assert.deepEqual(mistakesOf(await ads('DELETE', `${path}/${id}`)), [404, 'NOT_FOUND'])
        assert.deepEqual(dataOf(await ads('GET', path)), [])
      }
      const again = dataOf(await ads('POST', CUSTOM, { granted_account_id: 'same', permission_level: 'READ_WRITE' }))
      assert.equal(again.custom_audience_id, 'a1')
      assert.equal(dataOf(await ads('DELETE', `${TAILORED}/${again.id}`)).tailored_audience_id, 'a1')
    })

    test('/5/ is served for permissions and nothing else', async () => {
      await using stage = await setStage({ flavour, seed })
      const ads = adsCaller(stage)
      for (const path of [
        `/5/accounts/${ACCOUNT}/campaigns`,
        '/5/accounts',
        `/5/accounts/${ACCOUNT}/tailored_audiences`,
        `/4${TAILORED.slice(2)}`,
      ]) {
        const answer = await ads('GET', path)
        assert.deepEqual(mistakesOf(answer), [403, 'INVALID'], path)
        assert.match(answer.body.errors[0].message, /^Version [45] is not available\.$/)
      }
      assert.equal((await ads('PUT', TAILORED)).status, 405)
    })

    test('whom an account may share with, and what else is refused', async () => {
      await using stage = await setStage({ flavour, seed })
      const ads = adsCaller(stage)
      const grant = async (given: Record<string, string>, path = TAILORED) => mistakesOf(await ads('POST', path, given))
      assert.deepEqual(await grant({}), [400, 'MISSING_PARAMETER granted_account_id', 'MISSING_PARAMETER permission_level'])
      assert.deepEqual(await grant({ granted_account_id: 'same', permission_level: 'WRITE' }), [400, 'INVALID_PARAMETER permission_level'])
      assert.deepEqual(await grant(readOnly(ACCOUNT)), [400, 'INVALID granted_account_id'])
      for (const unrelated of ['other', 'nobody'])
        assert.deepEqual(await grant(readOnly(unrelated)), [400, 'FEATURE_NOT_AVAILABLE granted_account_id'])
      assert.deepEqual(await grant(readOnly('same'), TAILORED.replace('a1', 'zz')), [404, 'TAILORED_AUDIENCE_NOT_FOUND'])
      assert.deepEqual(await grant(readOnly('same')), [200])
      assert.deepEqual(await grant(readOnly('same')), [400, 'INVALID granted_account_id'])
      const { id } = dataOf(await ads('GET', TAILORED))[0]
      assert.deepEqual(mistakesOf(await ads('DELETE', `${TAILORED.replace('a1', 'a2')}/${id}`)), [404, 'NOT_FOUND'])
    })

    test('with the feature an account shares outside of its business', async () => {
      await using stage = await setStage({ flavour, seed: withFeature })
      const ads = adsCaller(stage)
      dataOf(await ads('POST', TAILORED, readOnly('other')))
      assert.deepEqual(mistakesOf(await ads('POST', TAILORED, readOnly('nobody'))), [404, 'NOT_FOUND granted_account_id'])
    })

    test('who may do what with an audience', async () => {
      await using stage = await setStage({ flavour, seed: withFeature })
      const owner = adsCaller(stage)
      const others = adsCaller(stage, 'production', graces)
      dataOf(await owner('POST', CUSTOM, readOnly('same')))
      dataOf(await owner('POST', CUSTOM, { granted_account_id: 'other', permission_level: 'READ_WRITE' }))
      const users = (base: string) => sendBody(stage, `${base}/a1/users`, [update(usersFrom(0, 100))], { credentials: graces })
      const outcome = async (answer: Promise<{ status: number }>) => (await answer).status
      const table: [what: string, call: (base: string) => Promise<{ status: number }>, readOnly: number, readWrite: number][] = [
        ['read', (base) => others('GET', `${base}/a1`), 200, 200],
        ['see what targets it', (base) => others('GET', `${base}/a1/targeted`), 200, 200],
        ['add users', users, 403, 200],
        ['rename', (base) => others('PUT', `${base}/a1`, { name: 'Renamed' }), 403, 403],
        ['describe', (base) => others('PUT', `${base}/a1`, { description: 'Described' }), 403, 200],
        ['delete', (base) => others('DELETE', `${base}/a1`), 403, 403],
        ['list permissions', (base) => others('GET', `${base}/a1/permissions`), 403, 403],
        ['share on', (base) => others('POST', `${base}/a1/permissions`, readOnly(ACCOUNT)), 403, 403],
        ['read another', (base) => others('GET', `${base}/a2`), 404, 404],
      ]
      for (const [what, call, forReading, forWriting] of table)
        assert.deepEqual([await outcome(call(SAME)), await outcome(call(OTHER))], [forReading, forWriting], what)
    })

    test('shared audiences are listed by those they are shared with, under their scope', async () => {
      await using stage = await setStage({ flavour, seed: withFeature })
      const owner = adsCaller(stage)
      const others = adsCaller(stage, 'production', graces)
      dataOf(await owner('POST', CUSTOM, readOnly('same')))
      const { id } = dataOf(
        await owner('POST', `${AUDIENCES}/a2/permissions`, { granted_account_id: 'same', permission_level: 'READ_WRITE' }),
      )
      assert.deepEqual(dataOf(await others('GET', SAME)), [])
      const shared = dataOf(await others('GET', SAME, { permission_scope: 'SHARED', sort_by: 'name-asc' }))
      assert.deepEqual(
        shared.map((audience: Record<string, unknown>) => [
          audience.id,
          audience.is_owner,
          audience.owner_account_id,
          audience.permission_level,
        ]),
        [
          ['a1', false, ACCOUNT, 'READ_ONLY'],
          ['a2', false, ACCOUNT, 'READ_WRITE'],
        ],
      )
      const searched = await others('GET', SAME, { permission_scope: 'SHARED', q: 'v', with_total_count: true })
      assert.deepEqual([searched.body.total_count, dataOf(searched)[0].id], [1, 'a2'])
      assert.deepEqual(dataOf(await owner('GET', AUDIENCES, { permission_scope: 'SHARED' })), [])
      dataOf(await owner('DELETE', `${AUDIENCES}/a2/permissions/${id}`))
      assert.equal((await others('GET', `${SAME}/a2`)).status, 404)
      dataOf(await owner('DELETE', `${AUDIENCES}/a1`))
      assert.deepEqual(dataOf(await others('GET', SAME, { permission_scope: 'SHARED' })), [])
    })

    test('an audience of a deleted account is shared with nobody, whoever has a permission', async () => {
      const [same] = otherAccounts
      const funding = { funding_instruments: [{ id: 'f1', type: 'CREDIT_CARD', currency: 'USD' }] }
      const place = { campaigns: [{ id: 'c1', funding_instrument_id: 'f1' }], line_items: [{ id: 'l1', campaign_id: 'c1' }] }
      const sandboxes = [
        { ...same, sandbox: true, ...funding, ...place },
        ...['gone', 'stays'].map((id) => ({
          id,
          name: id,
          sandbox: true,
          business_id: 'b1',
          members: [{ user_id: '101', role: 'ACCOUNT_ADMIN' }],
          custom_audiences: [{ id: `of${id}`, name: id }],
        })),
      ]
      await using stage = await setStage({ flavour, seed: { ...seed, accounts: sandboxes } as unknown as typeof seed })
      const owner = adsCaller(stage, 'sandbox')
      const others = adsCaller(stage, 'sandbox', graces)
      const audiencesOf = (id: string) => `/12/accounts/${id}/custom_audiences`
      for (const id of ['gone', 'stays'])
        dataOf(
          await owner('POST', `${audiencesOf(id)}/of${id}/permissions`, { granted_account_id: 'same', permission_level: 'READ_WRITE' }),
        )
      const listed = async () => {
        const answer = await others('GET', SAME, { permission_scope: 'SHARED', with_total_count: true, sort_by: 'name-asc' })
        return [answer.body.total_count, ...dataOf(answer).map(({ id }: { id: string }) => id)]
      }
      assert.deepEqual(await listed(), [2, 'ofgone', 'ofstays'])
      const users = () => {
        const sent = { credentials: graces, host: 'ads_sandbox_base_url' } as const
        return sendBody(stage, `${SAME}/ofgone/users`, [update(usersFrom(0, 100))], sent)
      }
      assert.equal((await users()).status, 200)
      dataOf(await owner('DELETE', '/12/accounts/gone'))
      assert.deepEqual(await listed(), [1, 'ofstays'])
      const calls: [what: string, answer: Answer][] = [
        ['read', await others('GET', `${SAME}/ofgone`)],
        ['read with deleted ones', await others('GET', `${SAME}/ofgone`, { with_deleted: true })],
        ['see what targets it', await others('GET', `${SAME}/ofgone/targeted`)],
        ['describe', await others('PUT', `${SAME}/ofgone`, { description: 'Described' })],
        ['add users', await users()],
        ['delete', await others('DELETE', `${SAME}/ofgone`)],
        ['list permissions', await others('GET', `${SAME}/ofgone/permissions`)],
      ]
      for (const [what, answer] of calls) assert.deepEqual(mistakesOf(answer), [404, 'TAILORED_AUDIENCE_NOT_FOUND'], what)
      const criterion = { line_item_id: 'l1', targeting_type: 'CUSTOM_AUDIENCE', targeting_value: 'ofgone' }
      const targeted = await others('POST', '/12/accounts/same/targeting_criteria', criterion)
      assert.deepEqual(mistakesOf(targeted), [404, 'TAILORED_AUDIENCE_OR_TAILORED_AUDIENCE_EXPANDED_NOT_FOUND targeting_value'])
      assert.equal((await others('GET', `${SAME}/ofstays`)).status, 200)
    })

    test('permissions are filtered, sorted, paged and counted', async () => {
      const accounts = Array.from({ length: 5 }, (_, index) => ({ id: `g${index}`, name: `G${index}`, business_id: 'b1' }))
      await using stage = await setStage({ flavour, seed: seedWithAudiences(audiences, { business_id: 'b1' }, accounts) })
      const ads = adsCaller(stage)
      const ids: string[] = []
      for (const { id } of accounts) {
        ids.push(
          dataOf(await ads('POST', TAILORED, { granted_account_id: id, permission_level: id < 'g2' ? 'READ_WRITE' : 'READ_ONLY' })).id,
        )
        stage.clock.advance(1000)
      }
      dataOf(await ads('POST', TAILORED.replace('a1', 'a2'), readOnly('g0')))
      const granted = async (params = {}, path = TAILORED) =>
        dataOf(await ads('GET', path, params)).map(({ granted_account_id }: { granted_account_id: string }) => granted_account_id)
      assert.deepEqual(await granted(), ['g4', 'g3', 'g2', 'g1', 'g0'])
      assert.deepEqual(await granted({ granted_account_ids: ['g1', 'g3', 'zz'] }), ['g3', 'g1'])
      assert.deepEqual(await granted({ tailored_audience_permission_ids: ids.slice(0, 2) }), ['g1', 'g0'])
      assert.deepEqual(await granted({ custom_audience_permission_ids: ids.slice(0, 2) }, CUSTOM), ['g1', 'g0'])
      assert.deepEqual(await granted({ sort_by: 'created_at-asc' }), ['g0', 'g1', 'g2', 'g3', 'g4'])
      const page = await ads('GET', TAILORED, { count: 3, sort_by: 'created_at-asc' })
      const rest = await granted({ count: 3, sort_by: 'created_at-asc', cursor: page.body.next_cursor })
      assert.deepEqual([dataOf(page).length, rest], [3, ['g3', 'g4']])
      const elsewhere = await ads('GET', TAILORED.replace('a1', 'a2'), {
        count: 3,
        sort_by: 'created_at-asc',
        cursor: page.body.next_cursor,
      })
      assert.deepEqual(mistakesOf(elsewhere), [400, 'INVALID_PARAMETER cursor'])
      assert.equal((await ads('GET', TAILORED, { with_total_count: true })).body.total_count, 5)
      const many = Array.from({ length: 201 }, (_, index) => `x${index}`)
      for (const filter of ['granted_account_ids', 'tailored_audience_permission_ids'])
        assert.deepEqual(mistakesOf(await ads('GET', TAILORED, { [filter]: many })), [400, `INVALID_PARAMETER ${filter}`])
    })
  })
