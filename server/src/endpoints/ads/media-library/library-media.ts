import { accountMember } from '../../../access/account-member.ts'
import { adsId } from '../../../api/declare/ads-words.ts'
import { adsProblem } from '../../../api/declare/problem.ts'
import type { Rule } from '../../../api/declare/rules.ts'
import { optionals, pick } from '../../../api/declare/words.ts'
import { mustGet, mustInsert, type OfAccount, type RecordServices } from '../../../api/records/account-changes.ts'
import { changeEndpoint } from '../../../api/records/change-endpoint.ts'
import { assertRules } from '../../../api/records/record-endpoints.ts'
import type { Ids } from '../../../lib/ids.ts'
import type { Content } from '../../../storage/content.ts'
import type { AccountTransaction, Records } from '../../../storage/records.ts'
import { assertMedia, posterUse } from '../card-rules/card-media.ts'
import { firstFrameOf, mediaKeyWord, typeOfKey } from '../media/media-key.ts'
import { mediaByKey } from '../media/stored-media.ts'
import { preroll } from '../resources/account-media.ts'
import { LibraryMedia } from '../resources/library-media.ts'

/** The parameters that are for videos alone (§4.7). */
const videoParams = ['title', 'description', 'poster_media_key'] as const

/** A rule for each of them, over the parameters of a request and over a record. */
const videoOnlyRules: readonly Rule[] = videoParams.map((name) => ({
  message: `\`${name}\` is for videos only`,
  parameters: [name, 'media_key'],
  code: 'INVALID_PARAMETER',
  holds: (params) => (params[name] ?? null) === null || typeOfKey(String(params.media_key)) === 'VIDEO',
}))

/** What a request names of media. */
interface Named {
  media_key: string
  poster_media_key?: string | null
}

/** The poster as it is stored: null for the first frame, which is the default. */
const storedPoster = ({ media_key, poster_media_key }: Named): string | null | undefined =>
  poster_media_key === firstFrameOf(media_key) ? null : poster_media_key

/** Throws unless the media is the caller's and has a category. */
async function assertOwnMedia(content: Pick<Content, 'rows'>, userId: string, key: string) {
  const found = (await mediaByKey(content, [key])).get(key)
  if (!found?.owners.includes(userId))
    throw adsProblem(
      'MEDIA_NOT_FOUND',
      `Media ${key} was not found among the media of the user, which are there once their upload has succeeded`,
      'media_key',
    )
  if (found.category === null)
    throw adsProblem(
      'INVALID_MEDIA',
      `Media ${key} was uploaded without a media_category, or with one of messages: upload it again with another`,
      'media_key',
    )
}

interface PosterServices {
  content: Pick<Content, 'rows'>
  records: Records
}

/** Throws unless a poster is an image of the caller, or one of the account's library. */
async function assertPoster(poster: string | null | undefined, { accountId, user }: OfAccount, { content, records }: PosterServices) {
  if (!poster) return
  const [media, inLibrary] = await Promise.all([mediaByKey(content, [poster]), records.get(LibraryMedia, accountId, poster)])
  assertMedia([posterUse(poster, user.id)], media, new Set(inLibrary ? [poster] : []))
}

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
