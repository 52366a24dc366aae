import { accountMember } from '../../../access/account-member.ts'
import { adsId } from '../../../api/declare/ads-words.ts'
import { adsProblem } from '../../../api/declare/problem.ts'
import { adsEndpoint } from '../../../api/records/ads-endpoint.ts'
import { assertRules, changing, mustGet, type RecordServices } from '../../../api/records/record-endpoints.ts'
import { show } from '../../../api/records/show.ts'
import type { AccountTransaction } from '../../../storage/records.ts'
import { LineItem } from '../line-items/line-item.ts'
import { Campaign, type CampaignRecord } from './campaign.ts'
import { campaignChanges } from './campaign-params.ts'
import { assertRoomForCampaign, campaignRules } from './campaign-rules.ts'

/** Throws 400 while line items have budgets of their own, or a way of spending them (§4.8). */
async function assertNoDailyBudgets(transaction: AccountTransaction, { id, budget_optimization }: CampaignRecord) {
  const lineItems = budget_optimization === 'CAMPAIGN' ? [] : await transaction.find(LineItem, 'campaign_id', id)
  if (lineItems.every(({ daily_budget_amount_local_micro: daily, standard_delivery }) => daily === null && standard_delivery)) return
  const says = 'budget_optimization cannot be CAMPAIGN while line items have daily budgets, or standard_delivery false'
  throw adsProblem('INVALID', says, 'budget_optimization')
}

export const updateCampaign = adsEndpoint({
  name: 'updateCampaign',
  route: 'PUT /12/accounts/:account_id/campaigns/:campaign_id',
  section: '§4.8',
  summary: 'Change a campaign. What is not sent stays as it is; an empty value unsets what is optional.',
  description: 'A value that is sent as it stands is no change.',
  auth: accountMember({ changes: 'campaigns' }),
  params: { account_id: adsId(), campaign_id: adsId(), ...campaignChanges },
  deferredRules: campaignRules,
  data: Campaign.schema,
  async handle({ params: { account_id, campaign_id, ...changes }, deferred, caller }, services: RecordServices) {
    const campaign = await changing(caller, services, async (transaction) => {
      const existing = await mustGet(transaction, Campaign, campaign_id)
      assertRules(campaignRules, existing, changes, deferred)
      if (changes.budget_optimization === 'CAMPAIGN') await assertNoDailyBudgets(transaction, existing)
      if (changes.entity_status === 'ACTIVE' && existing.entity_status !== 'ACTIVE') await assertRoomForCampaign(transaction)
      return transaction.update(Campaign, existing, changes)
    })
    return { data: await show(Campaign, campaign, caller.accountId, services) }
  },
})
