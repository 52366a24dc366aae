import { accountMember } from '../../../access/account-member.ts'
import { adsProblem } from '../../../api/declare/problem.ts'
import { oneOf, optional } from '../../../api/declare/words.ts'
import { updateEndpoint } from '../../../api/records/record-endpoints.ts'
import type { AccountTransaction } from '../../../storage/records.ts'
import { Campaign, type CampaignRecord } from '../resources/campaign.ts'
import { LineItem } from '../resources/line-item.ts'
import { assertRoomForCampaign, campaignParams, campaignRules } from './campaign-rules.ts'

/** Throws 400 while line items have daily budgets or their own `standard_delivery` (§4.8). */
async function assertNoDailyBudgets(transaction: AccountTransaction, { id, budget_optimization }: CampaignRecord) {
  const lineItems = budget_optimization === 'CAMPAIGN' ? [] : await transaction.find(LineItem, 'campaign_id', id)
  if (lineItems.every(({ daily_budget_amount_local_micro: daily, standard_delivery }) => daily === null && standard_delivery)) return
  const message = 'budget_optimization cannot be CAMPAIGN while line items have daily budgets, or standard_delivery false'
  throw adsProblem('INVALID', message, 'budget_optimization')
}

export const updateCampaign = updateEndpoint(Campaign, {
  name: 'updateCampaign',
  route: 'PUT /12/accounts/:account_id/campaigns/:campaign_id',
  section: '§4.8',
  summary: 'Update a campaign. Omitted fields keep their value; an empty value clears an optional field.',
  description: 'A field sent with its current value counts as unchanged and is not validated.',
  auth: accountMember({ changes: 'campaigns' }),
  params: { ...campaignParams, entity_status: optional(oneOf(['ACTIVE', 'PAUSED'])) },
  deferredRules: campaignRules,
  async before(transaction, existing, changes) {
    if (changes.budget_optimization === 'CAMPAIGN') await assertNoDailyBudgets(transaction, existing)
    if (changes.entity_status === 'ACTIVE' && existing.entity_status !== 'ACTIVE') await assertRoomForCampaign(transaction)
  },
})
