import { accountMember, type MemberCaller, type MemberServices } from '../../../access/account-member.ts'
import { adsId } from '../../../api/declare/ads-words.ts'
import type { Endpoint } from '../../../api/declare/endpoint.ts'
import { accountNotFound, adsProblem } from '../../../api/declare/problem.ts'
import { pick } from '../../../api/declare/words.ts'
import { changeAccount, mustGet, mustInsert, type RecordServices } from '../../../api/records/account-changes.ts'
import { adsEndpoint } from '../../../api/records/ads-endpoint.ts'
import { listEndpoint } from '../../../api/records/list-endpoint.ts'
import type { AnyResource } from '../../../api/records/resource.ts'
import type { RecordOf } from '../../../api/records/resource-declaration.ts'
import { show } from '../../../api/records/show.ts'
import type { Ids } from '../../../lib/ids.ts'
import type { AccountTransaction } from '../../../storage/records.ts'
import { Account } from '../resources/account.ts'
import { CustomAudience, CustomAudiencePermission, TailoredAudiencePermission } from '../resources/custom-audience.ts'
import type { FeatureKey } from '../resources/feature-keys.ts'
import { mustOwn } from './find-audience.ts'

type AccountRecord = RecordOf<typeof Account.fields> & { host: string; features: FeatureKey[] }

const OUTSIDE: FeatureKey = 'SHARE_AUDIENCE_OUTSIDE_BUSINESS'

const areOfOneBusiness = (owner: AccountRecord, other: AccountRecord | undefined) =>
  owner.business_id !== null && owner.business_id === other?.business_id

/**
 * Throws unless the account may share its audience with the other (§4.6): one of its business or, with the account feature for that, any. An
 * account of another business is refused like one that does not exist, unless it could be shared with.
 */
async function assertMayGrant(
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
async function mustGetPermission(transaction: Pick<AccountTransaction, 'get'>, audienceId: string, id: string) {
  const permission = await mustGet(transaction, TailoredAudiencePermission, id)
  if (permission.tailored_audience_id !== audienceId) throw TailoredAudiencePermission.absent(id)
  return permission
}

/** Where permissions are served: as those of tailored audiences on `/5/`, and of custom audiences on `/12/` (§4.6, public practice). */
interface Twin {
  /** `TailoredAudience`, in the names of the endpoints. */
  name: 'TailoredAudience' | 'CustomAudience'
  path: '/5/accounts/:account_id/tailored_audiences/:tailored_audience_id/permissions' | typeof CUSTOM_PATH
  /** The parameter with the id of the audience. */
  audience: 'tailored_audience_id' | 'custom_audience_id'
  resource: AnyResource
}

const CUSTOM_PATH = '/12/accounts/:account_id/custom_audiences/:custom_audience_id/permissions'

const section = '§4.6'

/** Declares the three endpoints of permissions at one of their two places. */
function permissionEndpoints({ name, path, audience, resource }: Twin) {
  const pathParams = { account_id: adsId(), [audience]: adsId() }
  const permission = audience.replace('_id', '_permission_id')
  const audienceIn = (params: object) => (params as Record<string, string>)[audience]!

  const list = listEndpoint<MemberCaller, MemberServices, RecordServices>(resource, {
    name: `list${name}Permissions`,
    route: `GET ${path}`,
    section,
    summary: 'List the permissions of other accounts to use an audience.',
    description: 'Only the account that owns the audience lists them.',
    auth: accountMember(),
    params: pathParams,
    scopeOf: ({ accountId }) => ({ account_id: accountId }),
    async narrow(params, caller, services) {
      const id = audienceIn(params)
      await mustOwn(id, caller, services)
      return { filters: [{ field: 'tailored_audience_id', equals: id }] }
    },
  })

  const create = adsEndpoint({
    name: `create${name}Permission`,
    route: `POST ${path}`,
    section,
    summary: 'Share an audience with another account.',
    description:
      'Only the account that owns the audience may do this. The other account must be of the same business, unless the owner has the feature ' +
      '`SHARE_AUDIENCE_OUTSIDE_BUSINESS`.',
    auth: accountMember({ changes: 'audiences' }),
    params: { ...pathParams, ...pick(TailoredAudiencePermission.fields, 'granted_account_id', 'permission_level') },
    data: resource.schema,
    async handle({ params, caller }, services: RecordServices & { ids: Ids }) {
      const { granted_account_id, permission_level } = params
      const given = { tailored_audience_id: audienceIn(params), granted_account_id, permission_level }
      await mustOwn(given.tailored_audience_id, caller, services)
      const record = await changeAccount(caller, services, async (transaction) => {
        await mustGet(transaction, CustomAudience, given.tailored_audience_id)
        await assertMayGrant(transaction, caller.accountId, given)
        return mustInsert(transaction, TailoredAudiencePermission, { ...given, id: services.ids.nextBase36() })
      })
      return { data: await show(resource, record, caller.accountId, services) }
    },
  })

  const revoke = adsEndpoint({
    name: `delete${name}Permission`,
    route: `DELETE ${path}/:${permission}` as `DELETE ${typeof CUSTOM_PATH}/:${string}`,
    section,
    summary: 'Stop sharing an audience with another account.',
    description:
      'Only the account that owns the audience may do this. Line items that target the audience go on; the other account cannot target it anew.',
    auth: accountMember({ changes: 'audiences' }),
    params: { ...pathParams, [permission]: adsId() },
    data: resource.schema,
    async handle({ params, caller }, services: RecordServices) {
      const id = audienceIn(params)
      await mustOwn(id, caller, services)
      const record = await changeAccount(caller, services, async (transaction) =>
        transaction.remove(
          TailoredAudiencePermission,
          await mustGetPermission(transaction, id, (params as Record<string, string>)[permission]!),
        ),
      )
      return { data: await show(resource, record, caller.accountId, services) }
    },
  })

  // As any list it follows from its resource, but its records are those of one audience.
  const { lists: _, ...listed } = list
  return { list: listed as Endpoint<MemberServices & RecordServices>, create, revoke }
}

export const {
  list: listTailoredAudiencePermissions,
  create: createTailoredAudiencePermission,
  revoke: deleteTailoredAudiencePermission,
} = permissionEndpoints({
  name: 'TailoredAudience',
  path: '/5/accounts/:account_id/tailored_audiences/:tailored_audience_id/permissions',
  audience: 'tailored_audience_id',
  resource: TailoredAudiencePermission,
})

export const {
  list: listCustomAudiencePermissions,
  create: createCustomAudiencePermission,
  revoke: deleteCustomAudiencePermission,
} = permissionEndpoints({ name: 'CustomAudience', path: CUSTOM_PATH, audience: 'custom_audience_id', resource: CustomAudiencePermission })
