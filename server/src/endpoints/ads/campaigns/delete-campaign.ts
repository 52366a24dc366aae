import { accountMember } from '../../../access/account-member.ts'
import { deleteEndpoint } from '../../../api/records/record-endpoints.ts'
import { Campaign } from '../resources/campaign.ts'

export const deleteCampaign = deleteEndpoint(Campaign, {
  name: 'deleteCampaign',
  route: 'DELETE /12/accounts/:account_id/campaigns/:campaign_id',
  section: '§4.8',
  summary: 'Delete a campaign. Its line items stay, and are listed with `with_deleted=true` only.',
  auth: accountMember({ changes: 'campaigns' }),
})
