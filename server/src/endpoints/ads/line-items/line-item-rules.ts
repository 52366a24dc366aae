import type { AdsCode } from '../../../api/declare/codes.ts'
import { adsError } from '../../../api/declare/problem.ts'
import { before, type RemainingErrors, type Rule } from '../../../api/declare/rules.ts'
import type { NewRecord } from '../../../storage/records.ts'
import { dailyWithinTotal } from '../campaigns/campaign-rules.ts'
import type { FeatureKey } from '../resources/feature-keys.ts'
import type { LineItemField, LineItemRecord } from '../resources/line-item.ts'
import { businessCategoriesOf } from './expand-categories.ts'

/** A line item to create or change, and what its rules need besides. */
interface RuleContext {
  after: NewRecord<LineItemRecord>
  isNew: boolean
  /** Whether a field gets a new value; for a new line item, another value than the default. */
  changes(field: LineItemField): boolean
  campaign: { budget_optimization: string }
  /** For a new line item: the other line items of its campaign. */
  siblings: readonly LineItemRecord[]
  app: { earlyAccess: readonly string[] }
  features: readonly FeatureKey[]
}

/** A rule of line items. It is checked if one of its fields changes, so that an existing value never prevents changes of other fields. */
interface LineItemRule {
  message: string
  /** An error is reported on the first. */
  fields: readonly [LineItemField, ...LineItemField[]]
  code: AdsCode
  holds(context: RuleContext): boolean
}

type Holds = LineItemRule['holds']

const rule = (code: AdsCode, fields: LineItemRule['fields'], message: string, holds: Holds): LineItemRule => ({
  code,
  fields,
  message,
  holds,
})

/** Converts a rule between parameters to a rule of line items. */
const fromParams = ({ message, parameters, code = 'INVALID', holds }: Rule) =>
  rule(code, parameters as LineItemRule['fields'], message.replaceAll('`', ''), ({ after }) => holds({ ...after }))

/** Applies the rule only if the field is set to a new value. */
const whenSet =
  (field: LineItemField, holds: Holds): Holds =>
  (context) =>
    context.after[field] === null || !context.changes(field) || holds(context)

/** Whether the objective is one of these. */
const hasObjective =
  (...objectives: LineItemRecord['objective'][]): Holds =>
  ({ after }) =>
    objectives.includes(after.objective)

const isOneOf = (values: readonly unknown[], value: unknown) => values.includes(value)

const onPublisherNetwork: Holds = ({ after }) => after.placements.includes('PUBLISHER_NETWORK')

/** Rules of the advertiser, the business categories and the promoted app. */
const advertiserRules: readonly LineItemRule[] = [
  rule(
    'MISSING_PARAMETER',
    ['advertiser_domain'],
    'advertiser_domain is required for the placement PUBLISHER_NETWORK',
    (context) => !onPublisherNetwork(context) || context.after.advertiser_domain !== null,
  ),
  rule(
    'MISSING_PARAMETER',
    ['categories'],
    'categories are required for the placement PUBLISHER_NETWORK',
    (context) => !onPublisherNetwork(context) || context.after.categories.length > 0,
  ),
  rule(
    'INVALID',
    ['categories'],
    'categories need the objective PREROLL_VIEWS, or the placement PUBLISHER_NETWORK',
    (context) => context.after.categories.length === 0 || hasObjective('PREROLL_VIEWS')(context) || onPublisherNetwork(context),
  ),
  rule(
    'INVALID',
    ['categories'],
    'for the objective PREROLL_VIEWS categories are those of one or two business categories',
    (context) => !hasObjective('PREROLL_VIEWS')(context) || businessCategoriesOf(context.after.categories).length <= 2,
  ),
  rule(
    'INVALID',
    ['advertiser_user_id'],
    'advertiser_user_id needs the objective PREROLL_VIEWS',
    whenSet('advertiser_user_id', hasObjective('PREROLL_VIEWS')),
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
    (context) =>
      !hasObjective('APP_INSTALLS', 'APP_ENGAGEMENTS')(context) ||
      context.after.android_app_store_identifier !== null ||
      context.after.ios_app_store_identifier !== null,
  ),
]

/** Rules of the bid, its strategy, the goal and `pay_by`. */
const bidRules: readonly LineItemRule[] = [
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

/** Rules of the placements, and of what all line items of a campaign have in common. */
const placementRules: readonly LineItemRule[] = [
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

const hasLineItemBudgets: Holds = ({ campaign }) => campaign.budget_optimization === 'LINE_ITEM'

/** Rules of the budgets, and of whether they belong to the campaign or the line item. */
const budgetRules: readonly LineItemRule[] = [
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

const hasFrequencyCaps: Holds = ({ features }) => features.includes('REACH_FREQUENCY_CAP')

/** Rules of the flight dates and the frequency cap. */
const servingRules: readonly LineItemRule[] = [
  rule('INVALID_PARAMETER', ['start_time'], 'start_time cannot be unset', ({ after }) => after.start_time !== null),
  fromParams(before('start_time', 'end_time')),
  rule(
    'INVALID',
    ['frequency_cap'],
    'frequency_cap is for the objectives REACH, ENGAGEMENTS, VIDEO_VIEWS and PREROLL_VIEWS',
    whenSet('frequency_cap', hasObjective('REACH', 'ENGAGEMENTS', 'VIDEO_VIEWS', 'PREROLL_VIEWS')),
  ),
  ...(['frequency_cap', 'duration_in_days'] as const).map((field) =>
    rule('FEATURE_NOT_AVAILABLE', [field], `${field} needs the account feature REACH_FREQUENCY_CAP`, whenSet(field, hasFrequencyCaps)),
  ),
]

/** All rules of line items (§4.8). */
export const lineItemRules: readonly LineItemRule[] = [...advertiserRules, ...bidRules, ...servingRules, ...budgetRules, ...placementRules]

/** Throws 400 with every invalid parameter and every rule that the line item would break. */
export function assertLineItemRules(context: RuleContext, { areValid, throwWith }: RemainingErrors) {
  const applies = ({ fields }: LineItemRule) => (context.isNew || fields.some(context.changes)) && areValid(fields)
  const broken = lineItemRules.filter((rule) => applies(rule) && !rule.holds(context))
  throwWith(broken.map(({ message, code, fields: [field] }) => adsError(code, message, field)))
}
