import { accountNotFound, adsProblem } from '../../../api/declare/problem.ts'
import { mustGet } from '../../../api/records/account-changes.ts'
import type { RecordOf } from '../../../api/records/resource-declaration.ts'
import type { AccountTransaction } from '../../../storage/records.ts'
import { Account } from '../resources/account.ts'
import { TailoredAudiencePermission } from '../resources/custom-audience.ts'
import type { FeatureKey } from '../resources/feature-keys.ts'

type AccountRecord = RecordOf<typeof Account.fields> & { host: string; features: FeatureKey[] }

const OUTSIDE: FeatureKey = 'SHARE_AUDIENCE_OUTSIDE_BUSINESS'

const areOfOneBusiness = (owner: AccountRecord, other: AccountRecord | undefined) =>
  owner.business_id !== null && owner.business_id === other?.business_id

/**
 * Throws unless the account may share its audience with the other (§4.6): one of its business or, with the account feature for that, any. An
 * account of another business is refused like one that does not exist, unless it could be shared with.
 */
export async function assertMayGrant(
  transaction: Pick<AccountTransaction, 'get' | 'count'>,
  accountId: string,
  { tailored_audience_id, granted_account_id }: { tailored_audience_id: string; granted_account_id: string },
) {
  if (granted_account_id === accountId) throw adsProblem('INVALID', 'The account owns the audience itself', 'granted_account_id')
  const owner = (await transaction.get(Account, accountId)) as AccountRecord | undefined
  if (!owner) throw accountNotFound(accountId)
  const found = (await transaction.get(Account, granted_account_id)) as AccountRecord | undefined
  const other = found?.host === owner.host ? found : undefined
  if (!areOfOneBusiness(owner, other) && !owner.features.includes(OUTSIDE))
    throw adsProblem(
      'FEATURE_NOT_AVAILABLE',
      `Account ${granted_account_id} is not of the same business. To share outside of it, an account needs the feature ${OUTSIDE}`,
      'granted_account_id',
    )
  if (!other) throw adsProblem('NOT_FOUND', `Account ${granted_account_id} was not found`, 'granted_account_id')
  if ((await transaction.count(TailoredAudiencePermission, { tailored_audience_id, granted_account_id }, 1)) > 0)
    throw adsProblem('INVALID', `Account ${granted_account_id} has a permission already: revoke it first`, 'granted_account_id')
}

/** The permission of an audience. Throws 404 if it does not exist or is of another audience. */
export async function mustGetPermission(transaction: Pick<AccountTransaction, 'get'>, audienceId: string, id: string) {
  const permission = await mustGet(transaction, TailoredAudiencePermission, id)
  if (permission.tailored_audience_id !== audienceId) throw TailoredAudiencePermission.absent(id)
  return permission
}
