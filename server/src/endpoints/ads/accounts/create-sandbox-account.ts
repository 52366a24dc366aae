import { adsUser } from '../../../access/ads-user.ts'
import { mustInsert, type RecordServices } from '../../../api/records/account-changes.ts'
import { adsEndpoint } from '../../../api/records/ads-endpoint.ts'
import { show } from '../../../api/records/show.ts'
import type { Ids } from '../../../lib/ids.ts'
import { Account, SANDBOX } from '../resources/account.ts'
import { sandboxFeatures } from '../resources/feature-keys.ts'
import { PromotableUser } from '../resources/promotable-user.ts'

export const createSandboxAccount = adsEndpoint({
  name: 'createSandboxAccount',
  route: 'POST /12/accounts',
  section: '§4.8',
  summary: 'Create a sandbox account. The authenticated user becomes its administrator, and its promotable user.',
  auth: adsUser,
  sandboxOnly: true,
  params: {},
  data: Account.schema,
  async handle({ caller: { user } }, services: RecordServices & { ids: Ids }) {
    const { records, now, ids } = services
    const id = ids.nextBase36()
    const account = await records.change(id, { userId: user.id, nowMs: now() }, async (transaction) => {
      const made = await mustInsert(transaction, Account, { id, host: SANDBOX, name: 'Sandbox account', features: [...sandboxFeatures] })
      await transaction.addMember(user.id, 'ACCOUNT_ADMIN')
      await mustInsert(transaction, PromotableUser, { id: ids.nextBase36(), user_id: user.id })
      return made
    })
    return { data: await show(Account, account, account.host, services) }
  },
})
