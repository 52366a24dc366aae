import { accountMember } from '../../../access/account-member.ts'
import { adsId } from '../../../api/declare/ads-words.ts'
import { adsProblem } from '../../../api/declare/problem.ts'
import { adsEndpoint } from '../../../api/records/ads-endpoint.ts'
import { changing, mustGet, mustInsert, type RecordServices } from '../../../api/records/record-endpoints.ts'
import { show } from '../../../api/records/show.ts'
import type { Ids } from '../../../lib/ids.ts'
import { Campaign } from '../resources/campaign.ts'
import { ableToFund, FundingInstrument, type FundingRecord } from '../resources/funding-instrument.ts'
import { campaignParams } from './campaign-params.ts'
import { assertRoomForCampaign, campaignRules } from './campaign-rules.ts'

const { name, funding_instrument_id } = Campaign.fields

/** Throws 400 for a funding instrument that cannot pay for anything now, and why. */
function assertAbleToFund(funding: FundingRecord, nowMs: number) {
  const { able_to_fund, reasons_not_able_to_fund: reasons } = ableToFund(funding, nowMs)
  if (able_to_fund) return
  const why = reasons.length > 0 ? `: ${reasons.join(', ')}` : ''
  throw adsProblem('INVALID_FUNDING_INSTRUMENT', `Funding instrument ${funding.id} is not able to fund${why}`, 'funding_instrument_id')
}

export const createCampaign = adsEndpoint({
  name: 'createCampaign',
  route: 'POST /12/accounts/:account_id/campaigns',
  section: '§4.8',
  summary: 'Create a campaign.',
  description: 'Its currency is that of the funding instrument. At most 200 campaigns of an account are active.',
  auth: accountMember({ changes: 'campaigns' }),
  params: { account_id: adsId(), ...campaignParams, name, funding_instrument_id },
  rules: campaignRules,
  data: Campaign.schema,
  async handle({ params: { account_id, ...given }, caller }, services: RecordServices & { ids: Ids }) {
    const campaign = await changing(caller, services, async (transaction) => {
      const funding = await mustGet(transaction, FundingInstrument, given.funding_instrument_id, 'funding_instrument_id')
      assertAbleToFund(funding, services.now())
      if ((given.entity_status ?? 'ACTIVE') === 'ACTIVE') await assertRoomForCampaign(transaction)
      return mustInsert(transaction, Campaign, { ...given, id: services.ids.nextBase36() })
    })
    return { data: await show(Campaign, campaign, caller.accountId, services) }
  },
})
