import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Client } from 'pg'
import { changeAccount } from '../../src/api/records/account-changes.ts'
import { recordTypes } from '../../src/endpoints/index.ts'
import type { SeedDocument } from '../../src/endpoints/operator/seed/seed-document.ts'
import type { RecordType, StoredRecord } from '../../src/storage/records.ts'
import { ACCOUNT, adsCaller, adsSeed, dataOf, FUNDING } from '../stage/ads.ts'
import { call } from '../stage/call.ts'
import { databasesOf } from '../stage/databases.ts'
import { setStage } from '../stage/postern.ts'
import { opened } from '../storage/samples.ts'

const kindOf = (table: string) => recordTypes.find((recordType) => recordType.table === table) as RecordType

suite('concurrent changes of accounts', () => {
  test('on PostgreSQL a locked account delays only those who change it', async () => {
    const other = { ...adsSeed.accounts![0]!, id: 'other', funding_instruments: [] }
    const seed = { ...adsSeed, accounts: [...adsSeed.accounts!, other] } as SeedDocument
    await using stage = await setStage({ flavour: 'postgres', seed })
    const holder = new Client({ connectionString: stage.databaseUrl })
    await holder.connect()
    await holder.query('begin')
    await holder.query('select id from accounts where id = $1 for update', [ACCOUNT])
    const ads = adsCaller(stage)
    const campaigns = `/12/accounts/${ACCOUNT}/campaigns`
    const waiting = Array.from({ length: 30 }, (_, n) => ads('POST', campaigns, { funding_instrument_id: FUNDING, name: `C ${n}` }))
    dataOf(await ads('PUT', '/12/accounts/other', { name: 'Not held' }))
    dataOf(await ads('GET', campaigns))
    assert.equal((await call(`${stage.origins.base_url}/healthz`, 'GET')).status, 200)
    await holder.query('rollback')
    await holder.end()
    for (const answer of await Promise.all(waiting)) dataOf(answer)
  })

  for (const flavour of databasesOf(import.meta))
    test(`changes that wait for an account while it is deleted are rejected (${flavour})`, async () => {
      await using it = await opened(flavour)
      const [account, campaign] = [kindOf('accounts'), kindOf('campaigns')]
      const { records } = it.storage
      const fields = { id: 'acc', name: 'A', host: 'sandbox', timezone: 'UTC', approval_status: 'ACCEPTED', features: [] }
      const by = { userId: '101', nowMs: it.clock.now() }
      const made = (await records.change('acc', by, (transaction) => transaction.insert(account, fields as object as StoredRecord)))!
      const [held, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const removing = records.change('acc', by, async (transaction) => {
        await transaction.remove(account, made)
        held.resolve()
        await gate.promise
      })
      await held.promise
      const caller = { accountId: 'acc', user: { id: '101' }, rateKey: '' }
      let changed = false
      const late = changeAccount(caller, { records: it.storages.at(-1)!.records, now: it.clock.now }, async (transaction) => {
        changed = true
        return transaction.count(campaign, {})
      })
      const refused = assert.rejects(late, /Account acc was not found/)
      gate.resolve()
      await removing
      await refused
      assert.equal(changed, false)
    })
})
