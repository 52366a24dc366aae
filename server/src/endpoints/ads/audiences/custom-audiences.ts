import { accountMember, type MemberCaller, type MemberServices } from '../../../access/account-member.ts'
import { adsId } from '../../../api/declare/ads-words.ts'
import { adsProblem } from '../../../api/declare/problem.ts'
import { boolean, defaulting, oneOf, optional, optionals, pick } from '../../../api/declare/words.ts'
import { changeAccount, mustGet, type RecordServices } from '../../../api/records/account-changes.ts'
import { adsEndpoint } from '../../../api/records/ads-endpoint.ts'
import { listEndpoint } from '../../../api/records/list-endpoint.ts'
import { createEndpoint, isChanged } from '../../../api/records/record-endpoints.ts'
import { show } from '../../../api/records/show.ts'
import type { Memberships } from '../../../storage/memberships.ts'
import type { AccountTransaction, OfOthers } from '../../../storage/records.ts'
import { LEAST_USERS, membershipsKey } from '../resources/audience-state.ts'
import { CustomAudience, type CustomAudienceRecord, TailoredAudiencePermission } from '../resources/custom-audience.ts'
import { assertStillWritable, mustFindAudience, mustFindWritable, mustOwn } from './find-audience.ts'

/** Throws 400 if another audience of the account has the name (public practice). */
async function assertNameIsFree(transaction: Pick<AccountTransaction, 'count'>, name: string) {
  if ((await transaction.count(CustomAudience, { name }, 1)) > 0)
    throw adsProblem('INVALID', `The account has a custom audience with the name ${name} already`, 'name')
}

export const createCustomAudience = createEndpoint(CustomAudience, {
  name: 'createCustomAudience',
  route: 'POST /12/accounts/:account_id/custom_audiences',
  section: '§4.6',
  summary: 'Create a custom audience, without users.',
  description: `The name must be unique in the account. An audience is \`PROCESSING\` until its first users were written, and \`TOO_SMALL\` to be targeted with fewer than ${LEAST_USERS}.`,
  auth: accountMember({ changes: 'audiences' }),
  params: { ...pick(CustomAudience.fields, 'name'), ...optionals(pick(CustomAudience.fields, 'description')) },
  before: (transaction, { name }) => assertNameIsFree(transaction, name),
})

/** The ids of all audiences that are shared with an account by accounts that are not deleted. */
const sharedWith = (accountId: string): OfOthers => ({
  recordType: TailoredAudiencePermission,
  field: 'tailored_audience_id',
  equal: { granted_account_id: accountId },
})

export const listCustomAudiences = listEndpoint<MemberCaller, MemberServices>(CustomAudience, {
  name: 'listCustomAudiences',
  route: 'GET /12/accounts/:account_id/custom_audiences',
  section: '§4.6',
  summary: 'List the custom audiences of an account, or those that are shared with it.',
  auth: accountMember(),
  params: { account_id: adsId(), permission_scope: defaulting(oneOf(['OWNER', 'SHARED']), 'OWNER') },
  scopeOf: ({ accountId }) => ({ account_id: accountId }),
  async narrow({ permission_scope }, { accountId }) {
    return permission_scope === 'SHARED' ? { scope: {}, filters: [{ field: 'id', ofOthers: sharedWith(accountId) }] } : {}
  },
})

export const getCustomAudience = adsEndpoint({
  name: 'getCustomAudience',
  route: 'GET /12/accounts/:account_id/custom_audiences/:custom_audience_id',
  section: '§4.6',
  summary: 'Get a custom audience of the account, or one that is shared with it.',
  auth: accountMember(),
  params: { account_id: adsId(), custom_audience_id: adsId(), with_deleted: optional(boolean()) },
  data: CustomAudience.schema,
  async handle({ params: { custom_audience_id, with_deleted }, caller }, services: RecordServices) {
    const { audience } = await mustFindAudience(custom_audience_id, caller, services, with_deleted)
    return { data: await show(CustomAudience, audience, caller.accountId, services) }
  },
})

export const updateCustomAudience = adsEndpoint({
  name: 'updateCustomAudience',
  route: 'PUT /12/accounts/:account_id/custom_audiences/:custom_audience_id',
  section: '§4.6',
  summary:
    'Update a custom audience of the account, or the description of one that is shared with it as `READ_WRITE`. Only its owner renames it: 403 for others. An empty description clears it.',
  auth: accountMember({ changes: 'audiences' }),
  params: { account_id: adsId(), custom_audience_id: adsId(), ...optionals(pick(CustomAudience.fields, 'name', 'description')) },
  data: CustomAudience.schema,
  async handle({ params: { account_id, custom_audience_id, ...changes }, caller }, services: RecordServices) {
    const { account_id: accountId } = await mustFindWritable(custom_audience_id, caller, services)
    const record = await changeAccount({ ...caller, accountId }, services, async (transaction) => {
      const existing = await mustGet(transaction, CustomAudience, custom_audience_id)
      const given = changes as Partial<CustomAudienceRecord>
      if (accountId !== caller.accountId && isChanged(existing, given, 'name'))
        throw adsProblem('ACTION_NOT_ALLOWED', `Only the account that owns custom audience ${existing.id} may rename it`)
      await assertStillWritable(transaction, existing, caller)
      if (isChanged(existing, given, 'name')) await assertNameIsFree(transaction, given.name!)
      return transaction.update(CustomAudience, existing, given)
    })
    return { data: await show(CustomAudience, record, caller.accountId, services) }
  },
})

export const deleteCustomAudience = adsEndpoint({
  name: 'deleteCustomAudience',
  route: 'DELETE /12/accounts/:account_id/custom_audiences/:custom_audience_id',
  section: '§4.6',
  summary: 'Delete a custom audience of the account, with its permissions. Its users are forgotten for good.',
  auth: accountMember({ changes: 'audiences' }),
  params: { account_id: adsId(), custom_audience_id: adsId() },
  data: CustomAudience.schema,
  async handle({ params: { custom_audience_id: id }, caller }, services: RecordServices & { memberships: Memberships }) {
    await mustOwn(id, caller, services)
    const deleted = await changeAccount(caller, services, async (transaction) =>
      transaction.remove(CustomAudience, await mustGet(transaction, CustomAudience, id)),
    )
    // What fails here is done within the hour: users of an audience without a record are removed then.
    await services.memberships.remove(membershipsKey('custom_audiences', id)).catch(() => {})
    return { data: await show(CustomAudience, deleted, caller.accountId, services) }
  },
})
