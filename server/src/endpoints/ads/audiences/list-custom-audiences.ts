import { accountMember, type MemberCaller, type MemberServices } from '../../../access/account-member.ts'
import { adsId } from '../../../api/declare/ads-words.ts'
import { defaulting, oneOf } from '../../../api/declare/words.ts'
import { listEndpoint } from '../../../api/records/list-endpoint.ts'
import { type ListQuery, NEWEST_FIRST, type Records } from '../../../storage/records.ts'
import { CustomAudience, TailoredAudiencePermission } from '../resources/custom-audience.ts'

const PAGE = 1000

/** The ids of all audiences that are shared with an account. */
async function sharedWith(accountId: string, records: Pick<Records, 'list'>): Promise<string[]> {
  const query = { scope: { granted_account_id: accountId }, sort: [NEWEST_FIRST], withDeleted: false, limit: PAGE }
  const ids: string[] = []
  let after: ListQuery['after']
  do {
    const page = await records.list(TailoredAudiencePermission, { ...query, after })
    ids.push(...page.map(({ tailored_audience_id }) => tailored_audience_id))
    const last = page.length < PAGE ? undefined : page.at(-1)
    after = last && { values: [last.created_at], key: last.id }
  } while (after)
  return ids
}

export const listCustomAudiences = listEndpoint<MemberCaller, MemberServices, { records: Records }>(CustomAudience, {
  name: 'listCustomAudiences',
  route: 'GET /12/accounts/:account_id/custom_audiences',
  section: '§4.6',
  summary: 'List the custom audiences of an account, or those that are shared with it.',
  auth: accountMember(),
  params: { account_id: adsId(), permission_scope: defaulting(oneOf(['OWNER', 'SHARED']), 'OWNER') },
  scopeOf: ({ accountId }) => ({ account_id: accountId }),
  async narrow({ permission_scope }, { accountId }, { records }) {
    if (permission_scope !== 'SHARED') return {}
    return { scope: {}, filters: [{ field: 'id', anyOf: await sharedWith(accountId, records) }] }
  },
})
