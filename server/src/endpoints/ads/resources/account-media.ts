import { nullable, oneOf, text } from '../../../api/declare/words.ts'
import { mustInsert } from '../../../api/records/account-changes.ts'
import { resource } from '../../../api/records/resource.ts'
import type { Brought } from '../../../api/records/resource-declaration.ts'
import type { StoredRecord } from '../../../storage/records.ts'
import type { MediaCategory } from '../../media/categories.ts'
import { mediaKeyWord } from '../media/media-key.ts'
import { regularEndpoints } from '../regular-endpoints.ts'

const creativeTypes = [
  'BANNER',
  'BANNER_TABLET',
  'INTERSTITIAL',
  'INTERSTITIAL_LANDSCAPE',
  'INTERSTITIAL_LANDSCAPE_TABLET',
  'INTERSTITIAL_TABLET',
  'MEDIUM_RECTANGLE',
  'PREROLL',
  'VAST_PREROLL',
] as const

/** Media that an account advertises with by itself, in no post (§2.7). */
export const AccountMedia = resource({
  title: 'Account media',
  name: 'account_media',
  notFound: 'ACCOUNT_MEDIA_NOT_FOUND',
  filters: { account_media_ids: { anyOf: 'id' }, creative_types: { anyOf: 'creative_type' } },
  indexes: [['account_id', 'video_id']],
  seedDefaults: { creative_type: 'PREROLL' },
  seedRules: [
    {
      field: 'video_id',
      message: 'must be set unless media_url is, and only then',
      holds: ({ video_id, media_url }) => (video_id === null) !== (media_url === null),
    },
  ],
  fields: {
    creative_type: oneOf(creativeTypes),
    video_id: nullable(mediaKeyWord({ example: '13_1136048014974423040' })),
    media_url: nullable(text({ max: 2000 })),
  },
})

/**
 * The account media that an `AMPLIFY_VIDEO` of the library is too (§4.7). It is made when the video comes into the library, unless the
 * account has the video as account media.
 */
export const preroll: Brought<StoredRecord & { media_key: string; media_category: MediaCategory }> = {
  resource: AccountMedia,
  async add(transaction, { media_key: video_id, media_category, deleted }, newId) {
    if (media_category !== 'AMPLIFY_VIDEO' || deleted) return undefined
    if ((await transaction.find(AccountMedia, 'video_id', video_id)).length > 0) return undefined
    const given = { creative_type: 'PREROLL', video_id }
    return mustInsert(transaction, AccountMedia, { id: newId(given), ...given })
  },
}

export const { listAccountMedia, getAccountMedia, deleteAccountMedia } = regularEndpoints(AccountMedia, {
  route: '/12/accounts/:account_id/account_media',
  section: '§4.7',
  changes: 'creatives',
  list: { summary: 'List the account media of an account: of each, either `video_id` or `media_url` is set.' },
  get: { summary: 'Get account media.' },
  delete: { summary: 'Delete account media.' },
})
