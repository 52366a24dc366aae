import { businessCategoriesOf } from '../expand-categories.ts'
import { type Holds, hasObjective, type LineItemRule, rule, whenSet } from './line-item-rule.ts'

const onPublisherNetwork: Holds = ({ after }) => after.placements.includes('PUBLISHER_NETWORK')

/** Rules of the advertiser, the business categories and the promoted app. */
export const advertiserRules: readonly LineItemRule[] = [
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
