import { decimalId } from '../../../api/declare/ads-words.ts'
import { oneOf } from '../../../api/declare/words.ts'
import { resource } from '../../../api/records/resource.ts'
import type { RecordOf } from '../../../api/records/resource-declaration.ts'
import { regularEndpoints } from '../regular-endpoints.ts'

/** A user whose posts an account may promote. As the one of type `FULL` its members may post, too. */
export const PromotableUser = resource({
  title: 'Promotable user',
  name: 'promotable_users',
  notFound: 'PROMOTABLE_USER_NOT_FOUND',
  filters: { promotable_user_ids: { anyOf: 'id' } },
  counted: ['promotable_user_type'],
  fields: {
    user_id: decimalId({ example: '101' }),
    promotable_user_type: oneOf(['FULL', 'RETWEETS_ONLY']),
  },
  defaults: { promotable_user_type: 'FULL' },
  seedRules: [
    {
      field: 'promotable_user_type',
      message: 'is that of another promotable user of the account, which has one of type FULL',
      holds: async ({ promotable_user_type: type }, count) => type !== 'FULL' || (await count({ promotable_user_type: type })) === 0,
    },
  ],
})

export type PromotableUserRecord = RecordOf<typeof PromotableUser.fields>

export const { listPromotableUsers, getPromotableUser } = regularEndpoints(PromotableUser, {
  route: '/12/accounts/:account_id/promotable_users',
  section: '§4.7',
  changes: 'account',
  list: { description: 'A sandbox account begins with the user who created it; other accounts get theirs from a seed.' },
})
