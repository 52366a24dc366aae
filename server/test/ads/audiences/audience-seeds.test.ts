import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { ACCOUNT, adsCaller, dataOf } from '../../stage/ads.ts'
import { AUDIENCES, LISTS, otherAccounts, seedWithAudiences } from '../../stage/ads-audiences.ts'
import { databasesOf } from '../../stage/databases.ts'
import { type Stage, setStage } from '../../stage/postern.ts'
import { graces } from '../../stage/signed-calls.ts'

const audience = { id: 'a1', name: 'Customers', description: 'Seeded', created_at: '2026-01-01T00:00:00Z' }
const more = {
  business_id: 'b1',
  tailored_audience_permissions: [{ id: 'p1', tailored_audience_id: 'a1', granted_account_id: 'same', permission_level: 'READ_WRITE' }],
  do_not_reach_lists: [{ id: 'd1', description: 'Asked not to' }],
}
const seed = seedWithAudiences([audience], more, otherAccounts)
const load = (stage: Stage, document: object) => stage.operator('POST', '/operator/seed', document)

for (const flavour of databasesOf(import.meta))
  suite(`seeds of audiences on ${flavour}`, () => {
    test('audiences, permissions and lists are loaded, and loading them again changes nothing', async () => {
      await using stage = await setStage({ flavour, seed })
      const ads = adsCaller(stage)
      const { name, description, created_at, owner_account_id } = dataOf(await ads('GET', `${AUDIENCES}/a1`))
      assert.deepEqual([name, description, created_at, owner_account_id], ['Customers', 'Seeded', '2026-01-01T00:00:00Z', ACCOUNT])
      assert.equal(dataOf(await ads('GET', `/5/accounts/${ACCOUNT}/tailored_audiences/a1/permissions`))[0].id, 'p1')
      assert.equal(dataOf(await ads('GET', `${LISTS}/d1`)).description, 'Asked not to')
      const shared = dataOf(await adsCaller(stage, 'production', graces)('GET', '/12/accounts/same/custom_audiences/a1'))
      assert.deepEqual([shared.is_owner, shared.permission_level], [false, 'READ_WRITE'])
      const { created, differing } = (await load(stage, seed)).body.data
      assert.deepEqual([created, differing], [[], []])
    })

    test('two lists of an account, two audiences of a name and a permission for no audience are refused', async () => {
      await using stage = await setStage({ flavour, seed })
      const refused: [object, object[], string][] = [
        [{ do_not_reach_lists: [{ id: 'd1' }, { id: 'd2' }] }, [], 'accounts.do_not_reach_lists.name'],
        [{}, [audience, { id: 'a2', name: 'Customers' }], 'accounts.custom_audiences.name'],
        [
          { tailored_audience_permissions: [{ tailored_audience_id: 'zz', granted_account_id: 'same', permission_level: 'READ_ONLY' }] },
          [],
          'accounts.tailored_audience_permissions.tailored_audience_id',
        ],
      ]
      for (const [others, audiences, field] of refused) {
        const answer = await load(stage, seedWithAudiences(audiences, others))
        assert.equal(answer.status, 400, field)
        assert.deepEqual(Object.keys(answer.body.errors[0].parameters), [field], answer.text)
      }
    })
  })
