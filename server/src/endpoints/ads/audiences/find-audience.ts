import { adsProblem } from '../../../api/declare/problem.ts'
import type { OfAccount, RecordServices } from '../../../api/records/account-changes.ts'
import { type AccountTransaction, NEWEST_FIRST } from '../../../storage/records.ts'
import {
  CustomAudience,
  type CustomAudienceRecord,
  type PermissionRecord,
  TailoredAudiencePermission,
} from '../resources/custom-audience.ts'

type Services = Pick<RecordServices, 'records'>
type Account = Pick<OfAccount, 'accountId'>

/** The permission of an account to use an audience of another one. */
export async function permissionFor(id: string, { accountId }: Account, { records }: Services): Promise<PermissionRecord | undefined> {
  const scope = { granted_account_id: accountId, tailored_audience_id: id }
  const [granted] = await records.list(TailoredAudiencePermission, { scope, sort: [NEWEST_FIRST], withDeleted: false, limit: 1 })
  return granted as PermissionRecord | undefined
}

/** An audience that an account has or may use, and whether it may change it. */
export interface UsableAudience {
  audience: CustomAudienceRecord
  isOwner: boolean
  mayWrite: boolean
}

/** Finds an audience of an account, or one that is shared with it by an account that is not deleted; undefined for all others. */
export async function findAudience(
  id: string,
  account: Account,
  services: Services,
  withDeleted = false,
): Promise<UsableAudience | undefined> {
  const own = await services.records.get(CustomAudience, account.accountId, id, withDeleted)
  if (own) return { audience: own, isOwner: true, mayWrite: true }
  const granted = await permissionFor(id, account, services)
  if (!granted) return undefined
  const [shared, isClosed] = await Promise.all([
    services.records.get(CustomAudience, granted.account_id, id),
    services.records.isAccountClosed(granted.account_id),
  ])
  return shared && !isClosed ? { audience: shared, isOwner: false, mayWrite: granted.permission_level === 'READ_WRITE' } : undefined
}

/** The same. Throws 404 if there is none. */
export async function mustFindAudience(id: string, account: Account, services: Services, withDeleted?: boolean): Promise<UsableAudience> {
  const found = await findAudience(id, account, services, withDeleted)
  if (!found) throw CustomAudience.absent(id)
  return found
}

const readOnly = (id: string) => adsProblem('ACTION_NOT_ALLOWED', `Custom audience ${id} is shared with this account as READ_ONLY`)

/** The same in a transaction of the owner, for a permission that was revoked or reduced meanwhile. */
export async function assertStillWritable(
  transaction: Pick<AccountTransaction, 'findAmong'>,
  { id, account_id }: CustomAudienceRecord,
  { accountId }: Account,
): Promise<void> {
  if (account_id === accountId) return
  const equal = { tailored_audience_id: id }
  const [granted] = await transaction.findAmong(TailoredAudiencePermission, equal, 'granted_account_id', [accountId])
  if (!granted) throw CustomAudience.absent(id)
  if (granted.permission_level !== 'READ_WRITE') throw readOnly(id)
}

/** An audience that an account may change. Throws 404 if there is none, and 403 for one that it may only use. */
export async function mustFindWritable(id: string, account: Account, services: Services): Promise<CustomAudienceRecord> {
  const { audience, mayWrite } = await mustFindAudience(id, account, services)
  if (!mayWrite) throw readOnly(id)
  return audience
}

/** An audience of the account itself. Throws 404 if there is none, and 403 for one of another account that shares it. */
export async function mustOwn(id: string, account: Account, services: Services): Promise<CustomAudienceRecord> {
  const { audience, isOwner } = await mustFindAudience(id, account, services)
  if (!isOwner) throw adsProblem('ACTION_NOT_ALLOWED', `Only the account that owns custom audience ${id} may do this`)
  return audience
}
