import { adsId } from '../../../api/declare/ads-words.ts'
import { nullable, oneOf, text } from '../../../api/declare/words.ts'
import { resource } from '../../../api/records/resource.ts'
import { regularEndpoints } from '../regular-endpoints.ts'
import { LineItem } from './line-item.ts'

const targetingTypes = [
  'AGE',
  'APP_STORE_CATEGORY',
  'APP_STORE_CATEGORY_LOOKALIKE',
  'BROAD_KEYWORD',
  'CONTENT_CATEGORY',
  'CONVERSATION',
  'CUSTOM_AUDIENCE',
  'CUSTOM_AUDIENCE_EXPANDED',
  'DEVICE',
  'ENGAGEMENT_TYPE',
  'EVENT',
  'EXACT_KEYWORD',
  'FOLLOWERS_OF_USER',
  'GENDER',
  'IAB_CATEGORY',
  'INTEREST',
  'LANGUAGE',
  'LIVE_TV_EVENT',
  'LOCATION',
  'NETWORK_ACTIVATION_DURATION',
  'NETWORK_OPERATOR',
  'PHRASE_KEYWORD',
  'PLATFORM',
  'PLATFORM_VERSION',
  'SIMILAR_TO_FOLLOWERS_OF_USER',
  'TV_SHOW',
  'UNORDERED_KEYWORD',
  'WIFI_ONLY',
] as const

/** A criterion for the audience of a line item. */
export const TargetingCriterion = resource({
  title: 'Targeting criterion',
  name: 'targeting_criteria',
  notFound: 'TARGETING_CRITERION_NOT_FOUND',
  rateLimit: 'core',
  history: 'TARGETING_CRITERIA',
  childOf: { parent: LineItem, by: 'line_item_id' },
  filters: { targeting_criterion_ids: { anyOf: 'id' }, line_item_ids: { anyOf: 'line_item_id' } },
  defaults: { operator_type: 'EQ' },
  indexes: [['account_id', 'targeting_value']],
  fields: {
    line_item_id: adsId(),
    name: nullable(text({ max: 255 })),
    operator_type: oneOf(['EQ', 'NE', 'GTE', 'LT']),
    targeting_type: oneOf(targetingTypes, { example: 'LOCATION' }),
    targeting_value: text({ max: 500, example: '96683cc9126741d1' }),
  },
})

export const { listTargetingCriteria, getTargetingCriterion } = regularEndpoints(TargetingCriterion, {
  route: '/12/accounts/:account_id/targeting_criteria',
  section: '§4.8',
  changes: 'campaigns',
})
