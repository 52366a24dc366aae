import { boolean, integer, nullable, oneOf, text } from '../../../api/declare/words.ts'
import { resource } from '../../../api/records/resource.ts'
import type { RecordOf } from '../../../api/records/resource-declaration.ts'
import type { Content } from '../../../storage/content.ts'
import { categoryOfKey, mediaCategories } from '../../media/categories.ts'
import { videoDescription, videoTitle } from '../creative-words.ts'
import { firstFrameOf, imageKeyWord, mediaKeyWord, mediaTypes, typeOfKey } from '../media/media-key.ts'
import { aspectRatioOf, mediaByKey, type StoredMedia } from '../media/stored-media.ts'
import { regularEndpoints } from '../regular-endpoints.ts'
import { preroll } from './account-media.ts'

const key = { media_key: mediaKeyWord() }

const fields = {
  media_type: oneOf(mediaTypes),
  media_category: oneOf(mediaCategories),
  name: nullable(text({ max: 100 })),
  file_name: nullable(text({ max: 255 })),
  title: nullable(videoTitle({ description: 'For videos only.' })),
  description: nullable(videoDescription({ description: 'For videos only.' })),
  poster_media_key: nullable(
    imageKeyWord({
      description: 'For videos only: an image of the authenticated user or of the media library. By default the first frame.',
    }),
  ),
}

/** What answers say of media besides the fields; null for an image. */
const movingMembers = {
  poster_media_key: nullable(mediaKeyWord()),
  poster_media_url: nullable(text()),
  duration: nullable(integer({ min: 0, description: 'In milliseconds; null for an image or a GIF.' })),
  aspect_ratio: nullable(text({ example: '16:9', description: 'Null for an image.' })),
}

/** What is known of media besides the record. */
interface Loaded {
  media: StoredMedia | undefined
  poster: StoredMedia | undefined
  isPosted: boolean
}

export type LibraryMediaRecord = RecordOf<typeof fields, typeof key>

/** The poster that was chosen, else the first frame if there is one. */
function posterOf({ media_key, poster_media_key }: LibraryMediaRecord, { media, poster }: Loaded) {
  if (poster_media_key !== null) return { poster_media_key, poster_media_url: poster?.url ?? null }
  const url = media?.previewUrl ?? null
  return { poster_media_key: url === null ? null : firstFrameOf(media_key), poster_media_url: url }
}

const NOTHING: Loaded = { media: undefined, poster: undefined, isPosted: false }

/** What a GIF or a video has besides what an image has. */
const movingValues = (record: LibraryMediaRecord, loaded: Loaded) => ({
  ...posterOf(record, loaded),
  duration: record.media_type === 'VIDEO' ? (loaded.media?.durationMs ?? null) : null,
  aspect_ratio: aspectRatioOf(loaded.media),
})

const unset = Object.fromEntries(Object.keys(movingMembers).map((name) => [name, null]))

/** Media in the library of an account (§2.7). Size, duration and addresses come from the media itself. */
export const LibraryMedia = resource({
  title: 'Library media',
  name: 'media_library',
  notFound: 'MEDIA_NOT_FOUND',
  key,
  fields,
  filters: { media_type: { equals: 'media_type' } },
  search: { termsOf: ['name', 'title', 'file_name', 'description'], max: 255 },
  fill: ({ media_key }) => ({
    media_category: categoryOfKey(media_key ?? ''),
    media_type: typeOfKey(media_key ?? ''),
  }),
  brings: preroll,
  derived: {
    media_status: oneOf(['TRANSCODE_COMPLETED']),
    media_url: nullable(text()),
    ...movingMembers,
    tweeted: boolean({ description: 'Whether a post carries the media.' }),
  },
  async load(records, _accountId, services) {
    const { content } = services as { content: Pick<Content, 'rows' | 'postedMedia'> }
    const keys = records.map(({ media_key }) => media_key)
    const posters = records.flatMap(({ poster_media_key }) => poster_media_key ?? [])
    const [media, posted] = await Promise.all([mediaByKey(content, [...keys, ...posters]), content.postedMedia(keys)])
    const isPosted = new Set(posted)
    const loadedOf = ({ media_key, poster_media_key }: LibraryMediaRecord): Loaded => ({
      media: media.get(media_key),
      poster: media.get(poster_media_key ?? ''),
      isPosted: isPosted.has(media_key),
    })
    return new Map(records.map((record) => [record.media_key, loadedOf(record)]))
  },
  derive: (record, _nowMs, _parent, loaded: Loaded = NOTHING) => ({
    media_status: 'TRANSCODE_COMPLETED',
    media_url: loaded.media?.url ?? null,
    ...(record.media_type === 'IMAGE' ? unset : movingValues(record, loaded)),
    tweeted: loaded.isPosted,
  }),
})

export const { listMediaLibrary, getLibraryMedia, deleteLibraryMedia } = regularEndpoints(LibraryMedia, {
  route: '/12/accounts/:account_id/media_library',
  section: '§4.7',
  changes: 'creatives',
  list: {
    summary: 'List the media library of an account.',
    page: { default: 20, max: 50 },
  },
  delete: { summary: 'Remove media from the library. Cards and posts keep it, and so does the account media of an `AMPLIFY_VIDEO`.' },
})
