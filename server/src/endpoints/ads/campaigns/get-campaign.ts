import { accountMember } from '../../../access/account-member.ts'
import { getEndpoint } from '../../../api/records/record-endpoints.ts'
import { Campaign } from '../resources/campaign.ts'

export const getCampaign = getEndpoint(Campaign, {
  name: 'getCampaign',
  route: 'GET /12/accounts/:account_id/campaigns/:campaign_id',
  section: '§4.8',
  summary: 'Get a campaign.',
  auth: accountMember(),
})
