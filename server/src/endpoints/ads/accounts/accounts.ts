import { accountMember } from '../../../access/account-member.ts'
import { adsUser } from '../../../access/ads-user.ts'
import { adsId } from '../../../api/declare/ads-words.ts'
import { accountNotFound } from '../../../api/declare/problem.ts'
import { boolean, listOf, object, oneOf, optional, optionals, pick, text } from '../../../api/declare/words.ts'
import { mustInsert, type RecordServices } from '../../../api/records/account-changes.ts'
import { adsEndpoint } from '../../../api/records/ads-endpoint.ts'
import { listEndpoint } from '../../../api/records/list-endpoint.ts'
import { deleteEndpoint, updateEndpoint } from '../../../api/records/record-endpoints.ts'
import { show } from '../../../api/records/show.ts'
import type { Ids } from '../../../lib/ids.ts'
import { roles } from '../../../storage/account-members.ts'
import { Account, SANDBOX } from '../resources/account.ts'
import { sandboxFeatures } from '../resources/feature-keys.ts'
import { PromotableUser } from '../resources/promotable-user.ts'

export const listAccounts = listEndpoint(Account, {
  name: 'listAccounts',
  route: 'GET /12/accounts',
  section: '§4.8',
  summary: 'List the accounts that the user is a member of.',
  auth: adsUser,
  params: {},
  scopeOf: ({ user, adsHost }) => ({ user_id: user.id, host: adsHost }),
})

export const getAccount = adsEndpoint({
  name: 'getAccount',
  route: 'GET /12/accounts/:account_id',
  section: '§4.8',
  summary: 'Get an account.',
  auth: accountMember({ allowDeleted: true }),
  params: { account_id: adsId(), with_deleted: optional(boolean()) },
  data: Account.schema,
  async handle({ params, caller }, services: RecordServices & { adsHost: string }) {
    const { records, adsHost } = services
    const account = await records.get(Account, adsHost, caller.accountId, params.with_deleted)
    if (!account) throw accountNotFound(caller.accountId)
    return { data: await show(Account, account, account.host, services) }
  },
})

export const createSandboxAccount = adsEndpoint({
  name: 'createSandboxAccount',
  route: 'POST /12/accounts',
  section: '§4.8',
  summary: 'Create a sandbox account. The authenticated user becomes its administrator, and its promotable user.',
  auth: adsUser,
  sandboxOnly: true,
  params: {},
  data: Account.schema,
  async handle({ caller: { user } }, services: RecordServices & { ids: Ids }) {
    const { records, now, ids } = services
    const id = ids.nextBase36()
    const account = await records.change(id, { userId: user.id, nowMs: now() }, async (transaction) => {
      const made = await mustInsert(transaction, Account, { id, host: SANDBOX, name: 'Sandbox account', features: [...sandboxFeatures] })
      await transaction.addMember(user.id, 'ACCOUNT_ADMIN')
      await mustInsert(transaction, PromotableUser, { id: ids.nextBase36(), user_id: user.id })
      return made
    })
    return { data: await show(Account, account, account.host, services) }
  },
})

export const updateAccount = updateEndpoint(Account, {
  name: 'updateAccount',
  route: 'PUT /12/accounts/:account_id',
  section: '§4.8',
  summary: 'Change the name or the industry of an account.',
  auth: accountMember({ changes: 'account' }),
  params: optionals(pick(Account.fields, 'name', 'industry_type')),
})

export const deleteSandboxAccount = deleteEndpoint(Account, {
  name: 'deleteSandboxAccount',
  route: 'DELETE /12/accounts/:account_id',
  section: '§4.8',
  summary: 'Delete a sandbox account.',
  auth: accountMember({ changes: 'account' }),
  sandboxOnly: true,
})

export const getUserAccess = adsEndpoint({
  name: 'getUserAccess',
  route: 'GET /12/accounts/:account_id/authenticated_user_access',
  section: '§4.8',
  summary: "Get the authenticated user's permissions on an account.",
  auth: accountMember(),
  params: { account_id: adsId() },
  data: object({ user_id: text(), permissions: listOf(oneOf(roles)) }),
  async handle({ caller: { user, role, permissions } }) {
    return { data: { user_id: user.id, permissions: [...new Set([role, ...permissions])] } }
  },
})
