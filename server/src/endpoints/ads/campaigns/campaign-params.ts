import { oneOf, optional } from '../../../api/declare/words.ts'
import { Campaign } from '../resources/campaign.ts'

const { fields } = Campaign

/** What a campaign can be given both when it is made and later. */
export const campaignParams = {
  name: optional(fields.name),
  budget_optimization: optional(fields.budget_optimization),
  daily_budget_amount_local_micro: optional(fields.daily_budget_amount_local_micro),
  total_budget_amount_local_micro: optional(fields.total_budget_amount_local_micro),
  entity_status: optional(fields.entity_status),
  purchase_order_number: optional(fields.purchase_order_number),
  standard_delivery: optional(fields.standard_delivery),
  start_time: optional(fields.start_time),
  end_time: optional(fields.end_time),
}

/** What it can be given later. */
export const campaignChanges = { ...campaignParams, entity_status: optional(oneOf(['ACTIVE', 'PAUSED'])) }
