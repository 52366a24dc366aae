import { accountMember } from '../../../access/account-member.ts'
import { adsProblem } from '../../../api/declare/problem.ts'
import { oneOf, optional, pick } from '../../../api/declare/words.ts'
import { mustGet } from '../../../api/records/account-changes.ts'
import { batchEndpoint } from '../../../api/records/batch-endpoint.ts'
import { createEndpoint, updateEndpoint } from '../../../api/records/record-endpoints.ts'
import type { AccountTransaction } from '../../../storage/records.ts'
import { Campaign, type CampaignRecord, deleteCampaign } from '../resources/campaign.ts'
import { ableToFund, FundingInstrument, type FundingRecord } from '../resources/funding-instrument.ts'
import { LineItem } from '../resources/line-item.ts'
import { assertRoomForCampaign, campaignParams, campaignRules } from './campaign-rules.ts'

/** Throws 400, with the reasons, for a funding instrument that cannot fund anything now. */
function assertAbleToFund(funding: FundingRecord, nowMs: number) {
  const { able_to_fund, reasons_not_able_to_fund: reasons } = ableToFund(funding, nowMs)
  if (able_to_fund) return
  const why = reasons.length > 0 ? `: ${reasons.join(', ')}` : ''
  throw adsProblem('INVALID_FUNDING_INSTRUMENT', `Funding instrument ${funding.id} is not able to fund${why}`, 'funding_instrument_id')
}

export const createCampaign = createEndpoint(Campaign, {
  name: 'createCampaign',
  route: 'POST /12/accounts/:account_id/campaigns',
  section: '§4.8',
  summary: 'Create a campaign.',
  description: 'The currency comes from the funding instrument. An account can have at most 200 active campaigns.',
  auth: accountMember({ changes: 'campaigns' }),
  params: { ...campaignParams, ...pick(Campaign.fields, 'name', 'funding_instrument_id') },
  rules: campaignRules,
  async before(transaction, { funding_instrument_id, entity_status = 'ACTIVE' }, nowMs) {
    assertAbleToFund(await mustGet(transaction, FundingInstrument, funding_instrument_id, 'funding_instrument_id'), nowMs)
    if (entity_status === 'ACTIVE') await assertRoomForCampaign(transaction)
  },
})

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

export const batchCampaigns = batchEndpoint({
  name: 'batchCampaigns',
  route: 'POST /12/batch/accounts/:account_id/campaigns',
  section: '§4.8',
  summary: 'Create, update and delete campaigns (atomic: all of them or none).',
  max: 40,
  changes: { Create: createCampaign, Update: updateCampaign, Delete: deleteCampaign },
})
