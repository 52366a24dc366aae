import { hasObjective, isOneOf, type LineItemRule, rule } from './line-item-rule.ts'

/** Rules of the placements, and of what all line items of a campaign have in common. */
export const placementRules: readonly LineItemRule[] = [
  rule('INVALID_PLACEMENT_TYPE', ['placements'], 'the placement TWITTER_PROFILE must be combined with another placement', ({ after }) =>
    after.placements.some((placement) => placement !== 'TWITTER_PROFILE'),
  ),
  rule(
    'INVALID_PLACEMENT_TYPE',
    ['placements'],
    'the objective REACH needs the placement TWITTER_TIMELINE or ALL_ON_TWITTER',
    (context) =>
      !hasObjective('REACH')(context) ||
      context.after.placements.some((placement) => isOneOf(['TWITTER_TIMELINE', 'ALL_ON_TWITTER'], placement)),
  ),
  ...(['objective', 'product_type'] as const).map((field) =>
    rule('INVALID', [field], `all line items of a campaign have the same ${field}`, ({ after, siblings }) =>
      siblings.every((sibling) => sibling[field] === after[field]),
    ),
  ),
]
