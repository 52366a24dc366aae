import { accountMember } from '../../../access/account-member.ts'
import { adsId } from '../../../api/declare/ads-words.ts'
import { commaList, listOf, oneOf, optional } from '../../../api/declare/words.ts'
import { changeAccount, mustGet, type RecordServices } from '../../../api/records/account-changes.ts'
import { adsEndpoint } from '../../../api/records/ads-endpoint.ts'
import { Account } from '../resources/account.ts'
import { type FeatureKey, featureKeys } from '../resources/feature-keys.ts'

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

const params = {
  account_id: adsId(),
  feature_keys: commaList(oneOf(featureKeys), { max: featureKeys.length, example: ['REACH_FREQUENCY_CAP'] }),
}

/** Declares an endpoint that changes the features of a sandbox account and returns all of them. */
const featuresEndpoint = (name: string, method: 'POST' | 'DELETE', summary: string, change: (has: boolean, named: boolean) => boolean) =>
  adsEndpoint({
    name,
    route: `${method} /12/accounts/:account_id/features`,
    section: '§4.8',
    summary,
    auth: accountMember({ changes: 'account' }),
    sandboxOnly: true,
    params,
    data: listOf(oneOf(featureKeys)),
    async handle({ params: { account_id, feature_keys }, caller }, services: RecordServices) {
      const account = await changeAccount(caller, services, async (transaction) => {
        const existing = await mustGet(transaction, Account, account_id)
        const isGranted = (key: FeatureKey) => change(existing.features.includes(key), feature_keys.includes(key))
        return transaction.update(Account, existing, { features: featureKeys.filter(isGranted) })
      })
      return { data: account.features }
    },
  })

export const grantFeatures = featuresEndpoint('grantFeatures', 'POST', 'Grant features to a sandbox account.', (has, named) => has || named)

export const removeFeatures = featuresEndpoint(
  'removeFeatures',
  'DELETE',
  'Revoke features of a sandbox account.',
  (has, named) => has && !named,
)
