import { adsTime } from '../../../api/declare/ads-words.ts'
import { listOf, nullable, oneOf, text } from '../../../api/declare/words.ts'
import { resource } from '../../../api/records/resource.ts'
import { featureKeys } from './feature-keys.ts'

/** The advertising hosts. An account exists on one of them. */
export const PRODUCTION = 'production'
export const SANDBOX = 'sandbox'

const industryTypes = [
  'AGENCY',
  'BUSINESS_TO_BUSINESS',
  'ONLINE_SERVICES',
  'EDUCATION',
  'FINANCIAL',
  'HEALTH',
  'GOVERNMENT',
  'MEDIA',
  'MOBILE',
  'RESTAURANT',
  'RETAIL',
  'TECHNOLOGY',
  'TRAVEL',
  'OTHER',
] as const

/** An advertising account (§2.8). It exists on one host. Its features have their own endpoint. */
export const Account = resource({
  title: 'Account',
  name: 'accounts',
  notFound: 'ACCOUNT_NOT_FOUND',
  scope: 'host',
  listedFrom: 'account_members',
  filters: { account_ids: { anyOf: 'id' } },
  search: { prefixOf: 'name', max: 255 },
  sortable: ['name'],
  fields: {
    name: text({ max: 255, example: 'Demo ads' }),
    business_name: nullable(text({ max: 255 })),
    business_id: nullable(text({ max: 50 })),
    timezone: text({ max: 100, example: 'America/Los_Angeles', description: 'An IANA time zone name.' }),
    timezone_switch_at: nullable(adsTime()),
    approval_status: oneOf(['ACCEPTED', 'REJECTED']),
    industry_type: nullable(oneOf(industryTypes)),
  },
  seedDefaults: { name: 'Account' },
  defaults: { timezone: 'America/Los_Angeles', approval_status: 'ACCEPTED' },
  internal: { host: text(), features: listOf(oneOf(featureKeys)) },
})
