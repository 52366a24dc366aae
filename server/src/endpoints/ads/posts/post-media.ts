import { adsProblem } from '../../../api/declare/problem.ts'
import type { Content } from '../../../storage/content.ts'
import { media } from '../../../storage/content-tables.ts'
import type { Records } from '../../../storage/records.ts'
import { ownersOf } from '../../media/media-owners.ts'
import { libraryKeysAmong } from './library-media.ts'
import { VIDEO_PARAMS } from './post-params.ts'

const MOST_IMAGES = 4

/** What is attached to a post: media keys, and what is said about a video. */
export interface Attached {
  mediaKeys: readonly string[]
  /** The `video_*` parameters that were sent. */
  video: Readonly<Record<string, string>>
}

interface MediaServices {
  content: Pick<Content, 'rows'>
  records: Records
}

/** Throws for media that do not exist, or are neither of these users nor in the media library of the account. Answers their types. */
async function typesOf(keys: readonly string[], userIds: readonly string[], accountId: string, services: MediaServices): Promise<string[]> {
  const rows = await services.content.rows(media, ['media_key', 'owner_id', 'more', 'type'], keys)
  const found = new Map(rows.map(([key, owner, more, type]) => [key as string, { owners: ownersOf(owner, more), type: type as string }]))
  const foreign = keys.filter((key) => found.has(key) && !found.get(key)!.owners.some((owner) => userIds.includes(owner)))
  const inLibrary = new Set(foreign.length > 0 ? await libraryKeysAmong(foreign, accountId, services) : [])
  const refused = keys.filter((key) => !found.has(key) || (foreign.includes(key) && !inLibrary.has(key)))
  if (refused.length > 0)
    throw adsProblem(
      'INVALID_MEDIA_ID',
      `These are neither media of the author or the authenticated user, nor in the media library of the account: ${refused.join(', ')}`,
      'media_keys',
    )
  return keys.map((key) => found.get(key)!.type)
}

/** Throws unless a post can have these media (§4.7). */
export async function assertAttachable(
  { mediaKeys, video }: Attached,
  userIds: readonly string[],
  accountId: string,
  services: MediaServices,
): Promise<void> {
  if (mediaKeys.length === 0) return
  const types = await typesOf(mediaKeys, userIds, accountId, services)
  const fits = types.every((type) => type === 'photo') ? types.length <= MOST_IMAGES : types.length === 1
  if (!fits) throw adsProblem('INVALID_MEDIA', 'A post has up to 4 images, or 1 GIF, or 1 video', 'media_keys')
  const ofVideo = VIDEO_PARAMS.filter((name) => video[name] !== undefined)
  if (ofVideo.length > 0 && types[0] !== 'video')
    throw adsProblem('INVALID_MEDIA', `${ofVideo.join(', ')}: only for a post with a video`, 'media_keys')
}
