import { isOf, isOneOf, type LineItemRule, rule } from './line-item-rule.ts'

/** Where it is shown, and what it has in common with the others of its campaign. */
export const placementRules: readonly LineItemRule[] = [
  rule('INVALID_PLACEMENT_TYPE', ['placements'], 'the placement TWITTER_PROFILE must be combined with another placement', ({ after }) =>
    after.placements.some((placement) => placement !== 'TWITTER_PROFILE'),
  ),
  rule(
    'INVALID_PLACEMENT_TYPE',
    ['placements'],
    'the objective REACH needs the placement TWITTER_TIMELINE or ALL_ON_TWITTER',
    (judged) =>
      !isOf('REACH')(judged) || judged.after.placements.some((placement) => isOneOf(['TWITTER_TIMELINE', 'ALL_ON_TWITTER'], placement)),
  ),
  ...(['objective', 'product_type'] as const).map((field) =>
    rule('INVALID', [field], `all line items of a campaign have the same ${field}`, ({ after, siblings }) =>
      siblings.every((sibling) => sibling[field] === after[field]),
    ),
  ),
]
