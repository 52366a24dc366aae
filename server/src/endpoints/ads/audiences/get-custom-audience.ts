import { accountMember } from '../../../access/account-member.ts'
import { adsId } from '../../../api/declare/ads-words.ts'
import { boolean, optional } from '../../../api/declare/words.ts'
import type { RecordServices } from '../../../api/records/account-changes.ts'
import { adsEndpoint } from '../../../api/records/ads-endpoint.ts'
import { show } from '../../../api/records/show.ts'
import { CustomAudience } from '../resources/custom-audience.ts'
import { mustFindAudience } from './find-audience.ts'

export const getCustomAudience = adsEndpoint({
  name: 'getCustomAudience',
  route: 'GET /12/accounts/:account_id/custom_audiences/:custom_audience_id',
  section: '§4.6',
  summary: 'Get a custom audience of the account, or one that is shared with it.',
  auth: accountMember(),
  params: { account_id: adsId(), custom_audience_id: adsId(), with_deleted: optional(boolean()) },
  data: CustomAudience.schema,
  async handle({ params: { custom_audience_id, with_deleted }, caller }, services: RecordServices) {
    const { audience } = await mustFindAudience(custom_audience_id, caller, services, with_deleted)
    return { data: await show(CustomAudience, audience, caller.accountId, services) }
  },
})
