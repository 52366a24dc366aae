import type { AdsCode } from '../../../api/ads-codes.ts'
import { invalidRequest } from '../../../api/problem.ts'
import type { RecordOf } from '../../../api/resource.ts'
import { before, type Rule } from '../../../api/rules.ts'
import { dailyWithinTotal } from '../campaigns/campaign-rules.ts'
import type { FeatureKey } from '../features/feature-keys.ts'
import { goals, type LineItem, payBys } from './line-item.ts'
import { businessCategoriesOf } from './whole-categories.ts'

export type LineItemRecord = RecordOf<typeof LineItem.fields>
type Field = keyof typeof LineItem.fields

/** A line item that is made or changed, and what its rules look at. */
export interface Judged {
  after: LineItemRecord
  isNew: boolean
  /** Whether a field was given another value than it has; a new line item has what follows from nothing being said. */
  changes(field: Field): boolean
  campaign: { budget_optimization: string }
  /** The other line items of the campaign, for a new one. */
  siblings: readonly LineItemRecord[]
  app: { earlyAccess: readonly string[] }
  features: readonly FeatureKey[]
}

/** A rule of line items. It is judged when one of its fields changes, so that what stands never keeps others from being changed. */
export interface LineItemRule {
  says: string
  /** The first is the one that a mistake is reported on. */
  fields: readonly [Field, ...Field[]]
  code: AdsCode
  holds(judged: Judged): boolean
}

type Holds = LineItemRule['holds']

const rule = (code: AdsCode, fields: LineItemRule['fields'], says: string, holds: Holds): LineItemRule => ({ code, fields, says, holds })

const fromParams = ({ says, parameters, code = 'INVALID', holds }: Rule) =>
  rule(code, parameters as LineItemRule['fields'], says.replaceAll('`', ''), ({ after }) => holds({ ...after }))

const setsNone =
  (field: Field): Holds =>
  ({ after, changes }) =>
    after[field] === null || !changes(field)

/** The rule holds where a field is not set anew. */
const whenSet = (field: Field, holds: Holds): Holds => {
  const isUnset = setsNone(field)
  return (judged) => isUnset(judged) || holds(judged)
}

const isOf =
  (...objectives: LineItemRecord['objective'][]): Holds =>
  ({ after }) =>
    objectives.includes(after.objective)

const onPublisherNetwork: Holds = ({ after }) => after.placements.includes('PUBLISHER_NETWORK')
const budgetsOfLineItems: Holds = ({ campaign }) => campaign.budget_optimization === 'LINE_ITEM'
const isOneOf = (values: readonly unknown[], value: unknown) => values.includes(value)

/** The most that a line item costs, and where it may be decided. */
const budgetRules = [
  fromParams(dailyWithinTotal),
  rule(
    'INVALID',
    ['daily_budget_amount_local_micro'],
    'daily_budget_amount_local_micro needs a campaign with budget_optimization LINE_ITEM',
    whenSet('daily_budget_amount_local_micro', budgetsOfLineItems),
  ),
  rule(
    'INVALID',
    ['standard_delivery'],
    'standard_delivery needs a campaign with budget_optimization LINE_ITEM',
    whenSet('standard_delivery', budgetsOfLineItems),
  ),
]

const advertiserRules = [
  rule(
    'MISSING_PARAMETER',
    ['advertiser_domain'],
    'advertiser_domain is required for the placement PUBLISHER_NETWORK',
    (judged) => !onPublisherNetwork(judged) || judged.after.advertiser_domain !== null,
  ),
  rule(
    'MISSING_PARAMETER',
    ['categories'],
    'categories are required for the placement PUBLISHER_NETWORK',
    (judged) => !onPublisherNetwork(judged) || judged.after.categories.length > 0,
  ),
  rule(
    'INVALID',
    ['categories'],
    'categories need the objective PREROLL_VIEWS, or the placement PUBLISHER_NETWORK',
    (judged) => judged.after.categories.length === 0 || isOf('PREROLL_VIEWS')(judged) || onPublisherNetwork(judged),
  ),
  rule(
    'INVALID',
    ['categories'],
    'categories are those of one or two business categories',
    ({ after }) => businessCategoriesOf(after.categories).length <= 2,
  ),
  rule(
    'INVALID',
    ['advertiser_user_id'],
    'advertiser_user_id needs the objective PREROLL_VIEWS',
    whenSet('advertiser_user_id', isOf('PREROLL_VIEWS')),
  ),
  rule(
    'INVALID_PARAMETER',
    ['advertiser_user_id'],
    'setting advertiser_user_id is not allowed',
    whenSet('advertiser_user_id', ({ app }) => app.earlyAccess.includes('advertiser_user_id')),
  ),
  rule(
    'MISSING_PARAMETER',
    ['android_app_store_identifier', 'ios_app_store_identifier'],
    'the objectives APP_INSTALLS and APP_ENGAGEMENTS need android_app_store_identifier or ios_app_store_identifier',
    (judged) =>
      !isOf('APP_INSTALLS', 'APP_ENGAGEMENTS')(judged) ||
      judged.after.android_app_store_identifier !== null ||
      judged.after.ios_app_store_identifier !== null,
  ),
]

const bidRules = [
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
    (judged) => judged.isNew || isOf('APP_INSTALLS')(judged),
  ),
  rule(
    'INVALID',
    ['pay_by', 'bid_strategy', 'goal'],
    'the pay_by IMPRESSION is not supported with the bid_strategy TARGET for the goals APP_INSTALLS and LINK_CLICKS',
    ({ after }) =>
      after.pay_by !== 'IMPRESSION' || after.bid_strategy !== 'TARGET' || !isOneOf(['APP_INSTALLS', 'LINK_CLICKS'], after.goal),
  ),
]

const hasFrequencyCaps: Holds = ({ features }) => features.includes('REACH_FREQUENCY_CAP')

const servingRules = [
  fromParams(before('start_time', 'end_time')),
  rule(
    'INVALID_PARAMETER',
    ['duration_in_days'],
    'Expected a value in 1, 7, 30 for duration_in_days',
    whenSet('duration_in_days', ({ after }) => isOneOf([1, 7, 30], after.duration_in_days)),
  ),
  rule(
    'INVALID',
    ['frequency_cap'],
    'frequency_cap is for the objectives REACH, ENGAGEMENTS, VIDEO_VIEWS and PREROLL_VIEWS',
    whenSet('frequency_cap', isOf('REACH', 'ENGAGEMENTS', 'VIDEO_VIEWS', 'PREROLL_VIEWS')),
  ),
  ...(['frequency_cap', 'duration_in_days'] as const).map((field) =>
    rule('FEATURE_NOT_AVAILABLE', [field], `${field} needs the account feature REACH_FREQUENCY_CAP`, whenSet(field, hasFrequencyCaps)),
  ),
  rule(
    'INVALID_PARAMETER',
    ['entity_status'],
    'entity_status is changed to one of ACTIVE, PAUSED',
    ({ after, isNew }) => isNew || after.entity_status !== 'DRAFT',
  ),
]

const placementRules = [
  rule('INVALID_PLACEMENT_TYPE', ['placements'], 'the placement TWITTER_PROFILE needs another beside it', ({ after }) =>
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

/** What holds of line items (§4.8). */
export const lineItemRules: readonly LineItemRule[] = [...advertiserRules, ...bidRules, ...servingRules, ...budgetRules, ...placementRules]

/** Throws 400 with every rule that a line item would break. */
export function assertLineItemRules(judged: Judged) {
  const broken = lineItemRules.filter(({ fields, holds }) => (judged.isNew || fields.some(judged.changes)) && !holds(judged))
  if (broken.length === 0) return
  throw invalidRequest(
    broken.map(({ says, code, fields: [field] }) => ({
      message: says,
      code,
      ...(code === 'INVALID' ? { attribute: field } : { parameters: { [field]: [] } }),
    })),
  )
}
