import { invalidRequest } from '../../api/declare/problem.ts'
import type { Content, NewRelation } from '../../storage/content.ts'
import { media } from '../../storage/content-tables.ts'
import { KEY_PREFIXES } from '../media/categories.ts'
import { ownersOf } from '../media/owners.ts'
import { type UploadsByNow, unreadyUpload } from '../media/unready-upload.ts'
import { MEDIA_OF_POST, mediaFitPost } from './post-limits.ts'

const refused = (rule: string, mediaIds: readonly string[]) =>
  invalidRequest([{ message: `$.media.media_ids: must ${rule}`, parameters: { media: [...mediaIds] } }])

/**
 * The keys of the media with these ids, in their order. Throws `invalid-request` for media that do not exist or that the user may not attach, and
 * for those that no post has together.
 */
export async function attachedMedia(
  { content, ...uploaded }: { content: Pick<Content, 'rows'> } & UploadsByNow,
  userId: string,
  mediaIds: readonly string[],
): Promise<string[]> {
  const keys = mediaIds.flatMap((id) => KEY_PREFIXES.map((prefix) => `${prefix}_${id}`))
  const rows = await content.rows(media, ['media_key', 'owner_id', 'more', 'type'], keys)
  const owned = new Map(
    rows
      .filter(([, owner, more]) => ownersOf(owner, more).includes(userId))
      .map(([key, , , type]) => [String(key).split('_')[1]!, { key: key as string, type: type as string }]),
  )
  const missing = mediaIds.filter((id) => !owned.has(id))
  if (missing.length > 0) throw refused(`be media of the user${await unreadyUpload(userId, missing, uploaded)}`, missing)
  if (new Set(mediaIds).size < mediaIds.length) throw refused('name each of them once', mediaIds)
  const attached = mediaIds.map((id) => owned.get(id)!)
  if (!mediaFitPost(attached.map(({ type }) => type))) throw refused(`be ${MEDIA_OF_POST}`, mediaIds)
  return attached.map(({ key }) => key)
}

/** The relations by which the participants of a conversation see media of its messages. */
export const carriedMedia = (conversationId: string, mediaKeys: readonly string[], position: string): NewRelation[] =>
  mediaKeys.map((source) => ({ relation: 'media_conversation', source, target: conversationId, position }))
