import type { RemainingErrors } from '../../../api/declare/deferred-errors.ts'
import { adsError } from '../../../api/declare/problem.ts'
import { advertiserRules } from './rules/advertiser-rules.ts'
import { bidRules } from './rules/bid-rules.ts'
import { budgetRules } from './rules/budget-rules.ts'
import type { Judged, LineItemRule } from './rules/line-item-rule.ts'
import { placementRules } from './rules/placement-rules.ts'
import { servingRules } from './rules/serving-rules.ts'

/** What holds of line items (§4.8). */
export const lineItemRules: readonly LineItemRule[] = [...advertiserRules, ...bidRules, ...servingRules, ...budgetRules, ...placementRules]

/** Throws 400 with every mistake and every rule that a line item would break. */
export function assertLineItemRules(judged: Judged, { areRight, throwWith }: RemainingErrors) {
  const isJudged = ({ fields }: LineItemRule) => (judged.isNew || fields.some(judged.changes)) && areRight(fields)
  const broken = lineItemRules.filter((rule) => isJudged(rule) && !rule.holds(judged))
  throwWith(broken.map(({ message, code, fields: [field] }) => adsError(code, message, field)))
}
