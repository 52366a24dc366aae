import { accountMember, type MemberCaller, type MemberServices } from '../../../access/account-member.ts'
import { adsId } from '../../../api/declare/ads-words.ts'
import type { Endpoint } from '../../../api/declare/endpoint.ts'
import { pick } from '../../../api/declare/words.ts'
import { changeAccount, mustGet, mustInsert, type RecordServices } from '../../../api/records/account-changes.ts'
import { adsEndpoint } from '../../../api/records/ads-endpoint.ts'
import { listEndpoint } from '../../../api/records/list-endpoint.ts'
import type { AnyResource } from '../../../api/records/resource.ts'
import { show } from '../../../api/records/show.ts'
import type { Ids } from '../../../lib/ids.ts'
import { CustomAudience, CustomAudiencePermission, TailoredAudiencePermission } from '../resources/custom-audience.ts'
import { mustOwn } from './find-audience.ts'
import { assertMayGrant, mustGetPermission } from './permission-rules.ts'

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
