import { accountMember } from '../../../access/account-member.ts'
import { adsId } from '../../../api/declare/ads-words.ts'
import { commaList, listOf, oneOf, optional } from '../../../api/declare/words.ts'
import type { RecordServices } from '../../../api/records/account-changes.ts'
import { adsEndpoint } from '../../../api/records/ads-endpoint.ts'
import { Account } from '../resources/account.ts'
import { featureKeys } from '../resources/feature-keys.ts'

export const listFeatures = adsEndpoint({
  name: 'listFeatures',
  route: 'GET /12/accounts/:account_id/features',
  section: '§4.8',
  summary: 'List the features that an account was granted, in alphabetical order.',
  auth: accountMember(),
  params: { account_id: adsId(), feature_keys: optional(commaList(oneOf(featureKeys), { max: featureKeys.length })) },
  data: listOf(oneOf(featureKeys)),
  async handle({ params: { feature_keys }, caller }, { records, adsHost }: RecordServices & { adsHost: string }) {
    const granted = (await records.get(Account, adsHost, caller.accountId))?.features ?? []
    return { data: feature_keys ? granted.filter((key) => feature_keys.includes(key)) : granted }
  },
})
