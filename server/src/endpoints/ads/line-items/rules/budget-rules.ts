import { dailyWithinTotal } from '../../campaigns/campaign-rules.ts'
import { fromParams, type Holds, type LineItemRule, rule, whenSet } from './line-item-rule.ts'

const hasLineItemBudgets: Holds = ({ campaign }) => campaign.budget_optimization === 'LINE_ITEM'

/** Rules of the budgets, and of whether they belong to the campaign or the line item. */
export const budgetRules: readonly LineItemRule[] = [
  fromParams(dailyWithinTotal),
  rule(
    'INVALID',
    ['daily_budget_amount_local_micro'],
    'daily_budget_amount_local_micro needs a campaign with budget_optimization LINE_ITEM',
    whenSet('daily_budget_amount_local_micro', hasLineItemBudgets),
  ),
  rule(
    'INVALID',
    ['standard_delivery'],
    'standard_delivery needs a campaign with budget_optimization LINE_ITEM',
    whenSet('standard_delivery', hasLineItemBudgets),
  ),
]
