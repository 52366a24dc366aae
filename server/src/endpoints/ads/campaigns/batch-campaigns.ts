import { batchEndpoint } from '../../../api/records/batch-endpoint.ts'
import { deleteCampaign } from '../resources/campaign.ts'
import { createCampaign } from './create-campaign.ts'
import { updateCampaign } from './update-campaign.ts'

export const batchCampaigns = batchEndpoint({
  name: 'batchCampaigns',
  route: 'POST /12/batch/accounts/:account_id/campaigns',
  section: '§4.8',
  summary: 'Create, update and delete campaigns (atomic: all of them or none).',
  max: 40,
  changes: { Create: createCampaign, Update: updateCampaign, Delete: deleteCampaign },
})
