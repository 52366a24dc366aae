import { isOf, type LineItemRule, rule } from './line-item-rule.ts'

/** What is bid for, how, and what is paid by. */
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
    (judged) => judged.after.bid_strategy !== 'MAX' || !isOf('REACH', 'FOLLOWERS')(judged),
  ),
  rule(
    'INVALID',
    ['bid_strategy'],
    'the bid_strategy TARGET is for the objectives REACH and WEBSITE_CLICKS, and at creation for FOLLOWERS',
    (judged) =>
      judged.after.bid_strategy !== 'TARGET' || isOf('REACH', 'WEBSITE_CLICKS')(judged) || (judged.isNew && isOf('FOLLOWERS')(judged)),
  ),
  rule(
    'INVALID',
    ['pay_by'],
    'pay_by is changeable only for the objective APP_INSTALLS',
    (judged) => judged.isNew || isOf('APP_INSTALLS')(judged),
  ),
  rule(
    'INVALID',
    ['pay_by', 'bid_strategy', 'goal'],
    'the pay_by IMPRESSION is not supported with the bid_strategy TARGET',
    ({ after }) => after.pay_by !== 'IMPRESSION' || after.bid_strategy !== 'TARGET',
  ),
]
