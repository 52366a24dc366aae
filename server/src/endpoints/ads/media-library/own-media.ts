import { adsProblem } from '../../../api/declare/problem.ts'
import type { OfAccount } from '../../../api/records/account-changes.ts'
import type { Content } from '../../../storage/content.ts'
import type { Records } from '../../../storage/records.ts'
import { assertMedia, posterUse } from '../card-rules/card-media.ts'
import { firstFrameOf } from '../media/media-key.ts'
import { mediaByKey } from '../media/stored-media.ts'
import { LibraryMedia } from '../resources/library-media.ts'

/** What a request names of media. */
interface Named {
  media_key: string
  poster_media_key?: string | null
}

/** The poster as it is stored: null for the first frame, which is the default. */
export const storedPoster = ({ media_key, poster_media_key }: Named): string | null | undefined =>
  poster_media_key === firstFrameOf(media_key) ? null : poster_media_key

/** Throws unless the media is the caller's and has a category. */
export async function assertOwnMedia(content: Pick<Content, 'rows'>, userId: string, key: string) {
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
export async function assertPoster(
  poster: string | null | undefined,
  { accountId, user }: OfAccount,
  { content, records }: PosterServices,
) {
  if (!poster) return
  const [media, inLibrary] = await Promise.all([mediaByKey(content, [poster]), records.get(LibraryMedia, accountId, poster)])
  assertMedia([posterUse(poster, user.id)], media, new Set(inLibrary ? [poster] : []))
}
