import { invalidRequest } from '../../api/declare/problem.ts'
import type { Content, NewRelation } from '../../storage/content.ts'
import { media } from '../../storage/content-tables.ts'
import { KEY_PREFIXES } from '../media/categories.ts'
import { ownersOf } from '../media/owners.ts'

/** The keys of the media with these ids, in their order. Throws `invalid-request` for media that do not exist or that the user may not attach. */
export async function attachedMedia(content: Content, userId: string, mediaIds: readonly string[]): Promise<string[]> {
  const keys = mediaIds.flatMap((id) => KEY_PREFIXES.map((prefix) => `${prefix}_${id}`))
  const rows = await content.rows(media, ['media_key', 'owner_id', 'more'], keys)
  const owned = new Map(
    rows.filter(([, owner, more]) => ownersOf(owner, more).includes(userId)).map(([key]) => [String(key).split('_')[1]!, key as string]),
  )
  const missing = mediaIds.filter((id) => !owned.has(id))
  if (missing.length > 0)
    throw invalidRequest([{ message: '$.media.media_ids: must be media of the user', parameters: { media: missing } }])
  return mediaIds.map((id) => owned.get(id)!)
}

/** The relations by which the participants of a conversation see media of its messages. */
export const carriedMedia = (conversationId: string, mediaKeys: readonly string[], position: string): NewRelation[] =>
  mediaKeys.map((source) => ({ relation: 'media_conversation', source, target: conversationId, position }))
