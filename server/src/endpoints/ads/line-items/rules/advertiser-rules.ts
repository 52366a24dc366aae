import { businessCategoriesOf } from '../expand-categories.ts'
import { type Holds, isOf, type LineItemRule, rule, whenSet } from './line-item-rule.ts'

const onPublisherNetwork: Holds = ({ after }) => after.placements.includes('PUBLISHER_NETWORK')

/** Who advertises, what business it is, and which app it is about. */
export const advertiserRules: readonly LineItemRule[] = [
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
    'for the objective PREROLL_VIEWS categories are those of one or two business categories',
    (judged) => !isOf('PREROLL_VIEWS')(judged) || businessCategoriesOf(judged.after.categories).length <= 2,
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
