import { accountMember } from '../../../access/account-member.ts'
import { adsId } from '../../../api/declare/ads-words.ts'
import { listEndpoint } from '../../../api/records/list-endpoint.ts'
import { Campaign } from '../resources/campaign.ts'

export const listCampaigns = listEndpoint(Campaign, {
  name: 'listCampaigns',
  route: 'GET /12/accounts/:account_id/campaigns',
  section: '§4.8',
  summary: 'List the campaigns of an account.',
  auth: accountMember(),
  params: { account_id: adsId() },
  ids: { campaign_ids: 'id', funding_instrument_ids: 'funding_instrument_id' },
  longestPrefix: 255,
  scopeOf: ({ accountId }) => ({ account_id: accountId }),
})
