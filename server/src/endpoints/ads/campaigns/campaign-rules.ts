import { adsProblem } from '../../../api/declare/problem.ts'
import { before, type Rule } from '../../../api/declare/rules.ts'
import { optionals, pick } from '../../../api/declare/words.ts'
import { isLong } from '../../../lib/numbers.ts'
import type { AccountTransaction } from '../../../storage/records.ts'
import { Campaign } from '../resources/campaign.ts'

/** The parameters for creating and updating a campaign. */
export const campaignParams = optionals(
  pick(
    Campaign.fields,
    'name',
    'budget_optimization',
    'daily_budget_amount_local_micro',
    'total_budget_amount_local_micro',
    'entity_status',
    'purchase_order_number',
    'standard_delivery',
    'start_time',
    'end_time',
  ),
)

const MAX_ACTIVE = 200

export const dailyWithinTotal: Rule = {
  message: '`daily_budget_amount_local_micro` must be at most `total_budget_amount_local_micro`',
  parameters: ['daily_budget_amount_local_micro', 'total_budget_amount_local_micro'],
  code: 'INVALID',
  holds: ({ daily_budget_amount_local_micro: daily, total_budget_amount_local_micro: total }) =>
    !isLong(daily) || !isLong(total) || daily <= total,
}

/** The rules between fields of a campaign. */
export const campaignRules = [dailyWithinTotal, before('start_time', 'end_time')]

/** Throws 400 if the account has its maximum of active campaigns. */
export async function assertRoomForCampaign(transaction: Pick<AccountTransaction, 'count'>) {
  if ((await transaction.count(Campaign, { entity_status: 'ACTIVE' }, MAX_ACTIVE)) >= MAX_ACTIVE)
    throw adsProblem('TOO_MANY_CAMPAIGNS', `An account can have at most ${MAX_ACTIVE} active campaigns`)
}
