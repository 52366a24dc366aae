import { accountMember } from '../../../access/account-member.ts'
import { adsProblem } from '../../../api/declare/problem.ts'
import { pick } from '../../../api/declare/words.ts'
import { mustGet } from '../../../api/records/account-changes.ts'
import { createEndpoint } from '../../../api/records/record-endpoints.ts'
import { Campaign } from '../resources/campaign.ts'
import { ableToFund, FundingInstrument, type FundingRecord } from '../resources/funding-instrument.ts'
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
