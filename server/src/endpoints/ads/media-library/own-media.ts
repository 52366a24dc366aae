import { adsProblem } from '../../../api/declare/problem.ts'
import type { Content } from '../../../storage/content.ts'
import { firstFrameOf } from '../media/media-key.ts'
import { mediaByKey, type StoredMedia } from '../media/stored-media.ts'

/** Media of the caller, who may be one of several owners. Throws 404 for what does not exist and for media of others, with the same words. */
function ownedBy(userId: string, media: ReadonlyMap<string, StoredMedia>, key: string, parameter: string): StoredMedia {
  const found = media.get(key)
  if (!found?.owners.includes(userId))
    throw adsProblem('MEDIA_NOT_FOUND', `Media ${key} was not found among the media of the user`, parameter)
  return found
}

const invalid = (parameter: string, message: string) => adsProblem('INVALID_MEDIA', message, parameter)

/** What a request names of media. */
interface Named {
  media_key: string
  poster_media_key?: string | null
}

/** The poster as it is stored: null for the first frame, which is the default. */
export const storedPoster = ({ media_key, poster_media_key }: Named): string | null | undefined =>
  poster_media_key === firstFrameOf(media_key) ? null : poster_media_key

/** Throws unless the media is the caller's and has a category, and the poster is an image of theirs. */
export async function assertOwnMedia(content: Pick<Content, 'rows'>, userId: string, { media_key, poster_media_key }: Named) {
  const media = await mediaByKey(content, [media_key, ...(poster_media_key ? [poster_media_key] : [])])
  const { category } = ownedBy(userId, media, media_key, 'media_key')
  if (category === null) throw invalid('media_key', `Media ${media_key} was uploaded without a media_category: upload it again with one`)
  assertPoster(media, userId, poster_media_key)
}

function assertPoster(media: ReadonlyMap<string, StoredMedia>, userId: string, poster: string | null | undefined) {
  if (poster && ownedBy(userId, media, poster, 'poster_media_key').type !== 'photo')
    throw invalid('poster_media_key', `poster_media_key must be an image, and ${poster} is none`)
}

/** The same for the poster alone. */
export const assertOwnPoster = async (content: Pick<Content, 'rows'>, userId: string, poster: string | null | undefined) =>
  assertPoster(poster ? await mediaByKey(content, [poster]) : new Map(), userId, poster)
