import { accountMember } from '../../../access/account-member.ts'
import { adsId } from '../../../api/declare/ads-words.ts'
import { optionals, pick } from '../../../api/declare/words.ts'
import { mustGet, type RecordServices } from '../../../api/records/account-changes.ts'
import { changeEndpoint } from '../../../api/records/change-endpoint.ts'
import { assertRules } from '../../../api/records/record-rules.ts'
import type { Content } from '../../../storage/content.ts'
import { mediaKeyWord } from '../media/media-key.ts'
import { LibraryMedia } from '../resources/library-media.ts'
import { assertPoster, storedPoster } from './own-media.ts'
import { videoOnlyRules } from './video-only.ts'

export const updateLibraryMedia = changeEndpoint(LibraryMedia, {
  name: 'updateLibraryMedia',
  route: 'PUT /12/accounts/:account_id/media_library/:media_key',
  section: '§4.7',
  summary: 'Update media of the library. Omitted fields keep their values; an empty value clears a field.',
  auth: accountMember({ changes: 'creatives' }),
  params: {
    account_id: adsId(),
    media_key: mediaKeyWord(),
    ...optionals(pick(LibraryMedia.fields, 'name', 'file_name', 'title', 'description', 'poster_media_key')),
  },
  deferredRules: videoOnlyRules,
  async prepare({ params, caller, deferred }, services: RecordServices & { content: Pick<Content, 'rows'> }) {
    if (!('poster_media_key' in params)) return params
    const poster_media_key = storedPoster(params)
    const existing = await services.records.get(LibraryMedia, caller.accountId, params.media_key)
    const isChecked = existing?.media_type === 'VIDEO' && poster_media_key !== existing.poster_media_key
    if (isChecked && deferred.errors.length === 0) await assertPoster(poster_media_key, caller, services)
    return { ...params, poster_media_key }
  },
  async change(transaction, { params: { account_id: _, media_key, ...changes }, deferred }) {
    const existing = await mustGet(transaction, LibraryMedia, media_key)
    assertRules(videoOnlyRules, existing, changes, deferred)
    return transaction.update(LibraryMedia, existing, changes)
  },
})
