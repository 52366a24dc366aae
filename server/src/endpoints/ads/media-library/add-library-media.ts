import { accountMember } from '../../../access/account-member.ts'
import { adsId } from '../../../api/declare/ads-words.ts'
import { optionals, pick } from '../../../api/declare/words.ts'
import { mustInsert, type RecordServices } from '../../../api/records/account-changes.ts'
import { changeEndpoint } from '../../../api/records/change-endpoint.ts'
import type { Ids } from '../../../lib/ids.ts'
import type { Content } from '../../../storage/content.ts'
import type { AccountTransaction } from '../../../storage/records.ts'
import { mediaKeyWord } from '../media/media-key.ts'
import { preroll } from '../resources/account-media.ts'
import { LibraryMedia } from '../resources/library-media.ts'
import { assertOwnMedia, assertPoster, storedPoster } from './own-media.ts'
import { videoOnlyRules } from './video-only.ts'

/** Adds media to the library; what was removed before comes back with new values. */
async function addToLibrary(transaction: AccountTransaction, given: { media_key: string }) {
  const removed = await transaction.get(LibraryMedia, given.media_key, true)
  if (!removed?.deleted) return mustInsert(transaction, LibraryMedia, given)
  return transaction.restore(LibraryMedia, removed, LibraryMedia.complete(given))
}

export const addLibraryMedia = changeEndpoint(LibraryMedia, {
  name: 'addLibraryMedia',
  route: 'POST /12/accounts/:account_id/media_library',
  section: '§4.7',
  summary: 'Add media to the library of an account.',
  description:
    'The media must have been uploaded by the authenticated user, with a media category. An `AMPLIFY_VIDEO` becomes account media of the ' +
    'type `PREROLL` too. Media that was removed can be added again. `title` and `description` are shown in a post only if it repeats them.',
  auth: accountMember({ changes: 'creatives' }),
  params: {
    account_id: adsId(),
    media_key: mediaKeyWord({ example: '13_1136048014974423046' }),
    ...optionals(pick(LibraryMedia.fields, 'name', 'file_name', 'title', 'description', 'poster_media_key')),
  },
  rules: videoOnlyRules,
  async prepare({ params, caller }, services: RecordServices & { content: Pick<Content, 'rows'>; ids: Ids }) {
    const given = { ...params, poster_media_key: storedPoster(params) }
    await assertOwnMedia(services.content, caller.user.id, given.media_key)
    await assertPoster(given.poster_media_key, caller, services)
    return given
  },
  async change(transaction, { params: { account_id: _, ...given } }, { ids }) {
    const added = await addToLibrary(transaction, given)
    await preroll.add(transaction, added, ids.nextBase36)
    return added
  },
})
