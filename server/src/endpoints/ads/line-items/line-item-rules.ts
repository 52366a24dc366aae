import type { RemainingErrors } from '../../../api/declare/deferred-errors.ts'
import { adsError } from '../../../api/declare/problem.ts'
import { advertiserRules } from './rules/advertiser-rules.ts'
import { bidRules } from './rules/bid-rules.ts'
import { budgetRules } from './rules/budget-rules.ts'
import type { LineItemRule, RuleContext } from './rules/line-item-rule.ts'
import { placementRules } from './rules/placement-rules.ts'
import { servingRules } from './rules/serving-rules.ts'

/** All rules of line items (§4.8). */
export const lineItemRules: readonly LineItemRule[] = [...advertiserRules, ...bidRules, ...servingRules, ...budgetRules, ...placementRules]

/** Throws 400 with every invalid parameter and every rule that the line item would break. */
export function assertLineItemRules(context: RuleContext, { areValid, throwWith }: RemainingErrors) {
  const applies = ({ fields }: LineItemRule) => (context.isNew || fields.some(context.changes)) && areValid(fields)
  const broken = lineItemRules.filter((rule) => applies(rule) && !rule.holds(context))
  throwWith(broken.map(({ message, code, fields: [field] }) => adsError(code, message, field)))
}
