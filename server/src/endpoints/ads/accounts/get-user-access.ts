import { accountMember } from '../../../access/account-member.ts'
import { adsId } from '../../../api/declare/ads-words.ts'
import { listOf, object, oneOf, text } from '../../../api/declare/words.ts'
import { adsEndpoint } from '../../../api/records/ads-endpoint.ts'
import { roles } from '../../../storage/account-members.ts'

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
