import { hasObjective, type LineItemRule, rule } from './line-item-rule.ts'

/** Rules of the bid, its strategy, the goal and `pay_by`. */
export const bidRules: readonly LineItemRule[] = [
  rule(
    'MISSING_PARAMETER',
    ['bid_amount_local_micro', 'bid_strategy'],
    'bid_amount_local_micro is required for the bid_strategy MAX and TARGET',
    ({ after }) => after.bid_strategy === 'AUTO' || after.bid_amount_local_micro !== null,
  ),
  rule(
    'INVALID',
    ['bid_strategy'],
    'the bid_strategy MAX is not for the objectives REACH and FOLLOWERS',
    (context) => context.after.bid_strategy !== 'MAX' || !hasObjective('REACH', 'FOLLOWERS')(context),
  ),
  rule(
    'INVALID',
    ['bid_strategy'],
    'the bid_strategy TARGET is for the objectives REACH and WEBSITE_CLICKS, and at creation for FOLLOWERS',
    (context) =>
      context.after.bid_strategy !== 'TARGET' ||
      hasObjective('REACH', 'WEBSITE_CLICKS')(context) ||
      (context.isNew && hasObjective('FOLLOWERS')(context)),
  ),
  rule(
    'INVALID',
    ['pay_by'],
    'pay_by is changeable only for the objective APP_INSTALLS',
    (context) => context.isNew || hasObjective('APP_INSTALLS')(context),
  ),
  rule(
    'INVALID',
    ['pay_by', 'bid_strategy', 'goal'],
    'the pay_by IMPRESSION is not supported with the bid_strategy TARGET',
    ({ after }) => after.pay_by !== 'IMPRESSION' || after.bid_strategy !== 'TARGET',
  ),
]
