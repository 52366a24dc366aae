import { goals, payBys } from '../line-item.ts'
import { usualPayBy } from '../line-item-defaults.ts'
import { type Holds, isOf, isOneOf, type LineItemRule, rule } from './line-item-rule.ts'

const paysAsUsual: Holds = ({ after }) => after.pay_by === usualPayBy(after.goal, after.bid_strategy)

/** What is bid for, how, and what is paid by. */
export const bidRules: readonly LineItemRule[] = [
  rule(
    'MISSING_PARAMETER',
    ['bid_amount_local_micro', 'bid_strategy'],
    'bid_amount_local_micro is required for the bid_strategy MAX and TARGET',
    ({ after }) => after.bid_strategy === 'AUTO' || after.bid_amount_local_micro !== null,
  ),
  rule(
    'INVALID_PARAMETER',
    ['bid_amount_local_micro', 'bid_strategy'],
    'bid_amount_local_micro must be greater than zero for the bid_strategy MAX and TARGET',
    ({ after }) => after.bid_strategy === 'AUTO' || after.bid_amount_local_micro !== 0,
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
    'INVALID_PARAMETER',
    ['goal'],
    `goal is changed to one of ${goals.join(', ')}`,
    ({ after, isNew }) => isNew || isOneOf(goals, after.goal),
  ),
  rule(
    'INVALID_PARAMETER',
    ['pay_by'],
    `pay_by is changed to one of ${payBys.join(', ')}`,
    ({ after, isNew }) => isNew || isOneOf(payBys, after.pay_by),
  ),
  rule(
    'INVALID',
    ['pay_by'],
    'pay_by is changeable only for the objective APP_INSTALLS',
    (judged) => judged.isNew || isOf('APP_INSTALLS')(judged) || paysAsUsual(judged),
  ),
  rule(
    'INVALID',
    ['pay_by', 'bid_strategy', 'goal'],
    'the pay_by IMPRESSION is not supported with the bid_strategy TARGET for the goals APP_INSTALLS and LINK_CLICKS',
    ({ after }) =>
      after.pay_by !== 'IMPRESSION' || after.bid_strategy !== 'TARGET' || !isOneOf(['APP_INSTALLS', 'LINK_CLICKS'], after.goal),
  ),
]
