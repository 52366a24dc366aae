import { nullable, oneOf, optional } from '../../../api/declare/words.ts'
import { goals, LineItem, payBys } from '../resources/line-item.ts'

const { fields } = LineItem

/** The parameters for both creating and updating a line item (§4.8). */
export const lineItemParams = {
  name: optional(fields.name),
  advertiser_domain: optional(fields.advertiser_domain),
  advertiser_user_id: optional(fields.advertiser_user_id),
  android_app_store_identifier: optional(fields.android_app_store_identifier),
  ios_app_store_identifier: optional(fields.ios_app_store_identifier),
  audience_expansion: optional(fields.audience_expansion),
  bid_amount_local_micro: optional(fields.bid_amount_local_micro),
  bid_strategy: optional(fields.bid_strategy),
  categories: optional(nullable(fields.categories)),
  duration_in_days: optional(fields.duration_in_days),
  entity_status: optional(fields.entity_status),
  start_time: optional(fields.start_time),
  end_time: optional(fields.end_time),
  frequency_cap: optional(fields.frequency_cap),
  goal: optional(fields.goal),
  pay_by: optional(fields.pay_by),
  standard_delivery: optional(fields.standard_delivery),
  total_budget_amount_local_micro: optional(fields.total_budget_amount_local_micro),
  daily_budget_amount_local_micro: optional(fields.daily_budget_amount_local_micro),
}

/** The parameters for updating a line item. Some allow fewer values than for creating one (§4.8). */
export const lineItemChanges = {
  ...lineItemParams,
  entity_status: optional(oneOf(['ACTIVE', 'PAUSED'])),
  goal: optional(oneOf(goals)),
  pay_by: optional(oneOf(payBys)),
}
