import { adsId, adsTime, long } from '../../../api/declare/ads-words.ts'
import { boolean, integer, listOf, nullable, oneOf, text } from '../../../api/declare/words.ts'
import { resource } from '../../../api/records/resource.ts'
import { endsAfterStart, type RecordOf } from '../../../api/records/resource-declaration.ts'
import { regularEndpoints } from '../regular-endpoints.ts'
import { currency, FundingInstrument, type FundingRecord, isAbleToFund } from './funding-instrument.ts'

const statuses = ['ACTIVE', 'DRAFT', 'PAUSED', 'EXPIRED'] as const

const reasons = ['DELETED', 'DRAFT', 'EXPIRED', 'FUNDING_PROBLEM', 'PAUSED_BY_ADVERTISER'] as const

const fields = {
  name: text({ max: 255, example: 'Spring' }),
  budget_optimization: oneOf(['CAMPAIGN', 'LINE_ITEM']),
  purchase_order_number: nullable(text({ max: 50 })),
  daily_budget_amount_local_micro: nullable(long({ min: 1 })),
  total_budget_amount_local_micro: nullable(long({ min: 1 })),
  funding_instrument_id: adsId(),
  duration_in_days: nullable(integer({ min: 1 })),
  frequency_cap: nullable(integer({ min: 1 })),
  standard_delivery: boolean(),
  entity_status: oneOf(['ACTIVE', 'DRAFT', 'PAUSED']),
  start_time: nullable(adsTime()),
  end_time: nullable(adsTime()),
  currency,
}

export type CampaignRecord = RecordOf<typeof fields>

/** The reasons why a campaign is not served. */
function reasonsNotServable(
  { entity_status, end_time, deleted }: Pick<CampaignRecord, 'entity_status' | 'end_time' | 'deleted'>,
  nowMs: number,
  funding?: FundingRecord,
): (typeof reasons)[number][] {
  return [
    ...(entity_status === 'PAUSED' ? (['PAUSED_BY_ADVERTISER'] as const) : []),
    ...(entity_status === 'DRAFT' ? (['DRAFT'] as const) : []),
    ...(end_time !== null && Date.parse(end_time) <= nowMs ? (['EXPIRED'] as const) : []),
    ...(deleted ? (['DELETED'] as const) : []),
    ...(funding && isAbleToFund(funding, nowMs) ? [] : (['FUNDING_PROBLEM'] as const)),
  ]
}

/** A campaign: line items with one funding instrument. */
export const Campaign = resource({
  title: 'Campaign',
  name: 'campaigns',
  notFound: 'CAMPAIGN_NOT_FOUND',
  rateLimit: 'core',
  history: 'CAMPAIGN',
  search: { prefixOf: 'name', max: 255 },
  childOf: { parent: FundingInstrument, by: 'funding_instrument_id' },
  sortable: ['name', 'start_time', 'end_time', 'daily_budget_amount_local_micro', 'total_budget_amount_local_micro', 'standard_delivery'],
  inherits: ['currency'],
  seedDefaults: { name: 'Campaign' },
  defaults: { budget_optimization: 'LINE_ITEM', standard_delivery: true, entity_status: 'ACTIVE' },
  filters: { campaign_ids: { anyOf: 'id' }, funding_instrument_ids: { anyOf: 'funding_instrument_id' } },
  counted: ['entity_status'],
  seedRules: [endsAfterStart],
  fields,
  derived: { effective_status: oneOf(statuses), servable: boolean(), reasons_not_servable: listOf(oneOf(reasons)) },
  needsParent: true,
  derivedFrom: ['entity_status', 'end_time', 'deleted'],
  derive(campaign, nowMs, funding) {
    const reasons_not_servable = reasonsNotServable(campaign, nowMs, funding)
    const expired = reasons_not_servable.includes('EXPIRED')
    return {
      effective_status: expired ? 'EXPIRED' : campaign.entity_status,
      servable: reasons_not_servable.length === 0,
      reasons_not_servable,
    }
  },
})

export const { listCampaigns, getCampaign, deleteCampaign } = regularEndpoints(Campaign, {
  route: '/12/accounts/:account_id/campaigns',
  section: '§4.8',
  changes: 'campaigns',
  delete: { summary: 'Soft-delete a campaign. Its line items are hidden too, unless `with_deleted=true`.' },
})
