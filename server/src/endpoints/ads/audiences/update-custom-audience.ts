import { accountMember } from '../../../access/account-member.ts'
import { adsId } from '../../../api/declare/ads-words.ts'
import { adsProblem } from '../../../api/declare/problem.ts'
import { optionals, pick } from '../../../api/declare/words.ts'
import { changeAccount, mustGet, type RecordServices } from '../../../api/records/account-changes.ts'
import { adsEndpoint } from '../../../api/records/ads-endpoint.ts'
import { isChanged } from '../../../api/records/record-rules.ts'
import { show } from '../../../api/records/show.ts'
import { CustomAudience, type CustomAudienceRecord } from '../resources/custom-audience.ts'
import { assertNameIsFree } from './audience-name.ts'
import { assertStillWritable, mustFindWritable } from './find-audience.ts'

export const updateCustomAudience = adsEndpoint({
  name: 'updateCustomAudience',
  route: 'PUT /12/accounts/:account_id/custom_audiences/:custom_audience_id',
  section: '§4.6',
  summary:
    'Update a custom audience of the account, or the description of one that is shared with it as `READ_WRITE`. Only its owner renames it: 403 for others. An empty description clears it.',
  auth: accountMember({ changes: 'audiences' }),
  params: { account_id: adsId(), custom_audience_id: adsId(), ...optionals(pick(CustomAudience.fields, 'name', 'description')) },
  data: CustomAudience.schema,
  async handle({ params: { account_id, custom_audience_id, ...changes }, caller }, services: RecordServices) {
    const { account_id: accountId } = await mustFindWritable(custom_audience_id, caller, services)
    const record = await changeAccount({ ...caller, accountId }, services, async (transaction) => {
      const existing = await mustGet(transaction, CustomAudience, custom_audience_id)
      const given = changes as Partial<CustomAudienceRecord>
      if (accountId !== caller.accountId && isChanged(existing, given, 'name'))
        throw adsProblem('ACTION_NOT_ALLOWED', `Only the account that owns custom audience ${existing.id} may rename it`)
      await assertStillWritable(transaction, existing, caller)
      if (isChanged(existing, given, 'name')) await assertNameIsFree(transaction, given.name!)
      return transaction.update(CustomAudience, existing, given)
    })
    return { data: await show(CustomAudience, record, caller.accountId, services) }
  },
})
