import { accountMember } from '../../../access/account-member.ts'
import { adsId } from '../../../api/declare/ads-words.ts'
import { changeAccount, mustGet, type RecordServices } from '../../../api/records/account-changes.ts'
import { adsEndpoint } from '../../../api/records/ads-endpoint.ts'
import { show } from '../../../api/records/show.ts'
import type { Memberships } from '../../../storage/memberships.ts'
import { membershipsKey } from '../resources/audience-state.ts'
import { CustomAudience } from '../resources/custom-audience.ts'
import { mustOwn } from './find-audience.ts'

export const deleteCustomAudience = adsEndpoint({
  name: 'deleteCustomAudience',
  route: 'DELETE /12/accounts/:account_id/custom_audiences/:custom_audience_id',
  section: '§4.6',
  summary: 'Delete a custom audience of the account, with its permissions. Its users are forgotten for good.',
  auth: accountMember({ changes: 'audiences' }),
  params: { account_id: adsId(), custom_audience_id: adsId() },
  data: CustomAudience.schema,
  async handle({ params: { custom_audience_id: id }, caller }, services: RecordServices & { memberships: Memberships }) {
    await mustOwn(id, caller, services)
    const deleted = await changeAccount(caller, services, async (transaction) =>
      transaction.remove(CustomAudience, await mustGet(transaction, CustomAudience, id)),
    )
    // What fails here is done within the hour: users of an audience without a record are removed then.
    await services.memberships.remove(membershipsKey('custom_audiences', id)).catch(() => {})
    return { data: await show(CustomAudience, deleted, caller.accountId, services) }
  },
})
