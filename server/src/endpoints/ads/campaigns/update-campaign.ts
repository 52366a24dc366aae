import { accountMember } from '../../../access/account-member.ts'
import { adsEndpoint } from '../../../api/ads-endpoint.ts'
import { adsId } from '../../../api/ads-words.ts'
import { assertRules, changing, mustGet, type RecordServices } from '../../../api/record-endpoints.ts'
import { optional } from '../../../api/words.ts'
import { Campaign } from './campaign.ts'
import { assertRoomForCampaign, campaignChangeRules } from './campaign-rules.ts'

const { name, budget_optimization, purchase_order_number, standard_delivery, entity_status, start_time, end_time } = Campaign.fields
const { daily_budget_amount_local_micro, total_budget_amount_local_micro } = Campaign.fields

export const updateCampaign = adsEndpoint({
  name: 'updateCampaign',
  route: 'PUT /12/accounts/:account_id/campaigns/:campaign_id',
  section: '§4.8',
  summary: 'Change a campaign. What is not sent stays as it is; an empty value unsets what is optional.',
  description: '`entity_status` is changed to `ACTIVE` or `PAUSED`. A value that is sent as it stands is no change.',
  auth: accountMember({ changes: 'campaigns' }),
  params: {
    account_id: adsId(),
    campaign_id: adsId(),
    name: optional(name),
    budget_optimization: optional(budget_optimization),
    daily_budget_amount_local_micro: optional(daily_budget_amount_local_micro),
    total_budget_amount_local_micro: optional(total_budget_amount_local_micro),
    entity_status: optional(entity_status),
    purchase_order_number: optional(purchase_order_number),
    standard_delivery: optional(standard_delivery),
    start_time: optional(start_time),
    end_time: optional(end_time),
  },
  data: Campaign.schema,
  async handle({ params: { account_id, campaign_id, ...changes }, caller }, services: RecordServices) {
    const campaign = await changing(caller, services, async (desk) => {
      const standing = await mustGet(desk, Campaign, campaign_id)
      assertRules(campaignChangeRules, standing, changes)
      if (changes.entity_status === 'ACTIVE' && standing.entity_status !== 'ACTIVE') await assertRoomForCampaign(desk)
      return desk.update(Campaign, standing, changes)
    })
    return { data: Campaign.present(campaign, services.now()) }
  },
})
