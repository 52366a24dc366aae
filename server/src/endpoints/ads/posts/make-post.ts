import { adsProblem } from '../../../api/declare/problem.ts'
import type { Announce, Announcement } from '../../../delivery/outbox.ts'
import type { Ids } from '../../../lib/ids.ts'
import { languageOf } from '../../../lib/post-text/language.ts'
import type { Content, ContentTransaction } from '../../../storage/content.ts'
import { adsPostKey, adsPosts, media, users } from '../../../storage/content-tables.ts'
import { NEWEST_FIRST, type Records } from '../../../storage/records.ts'
import { ownersOf } from '../../media/owners.ts'
import { surroundingsOf } from '../../posts/insert-posts.ts'
import type { NewPost, Surroundings } from '../../posts/new-post.ts'
import { announcementsOfPost } from '../../posts/post-events.ts'
import { MEDIA_OF_POST, mediaFitPost } from '../../posts/post-limits.ts'
import { isDuplicate, storePost } from '../../posts/stored-post.ts'
import { findCard } from '../cards/find-card.ts'
import { LibraryMedia } from '../resources/library-media.ts'
import { VIDEO_PARAMS } from './post-params.ts'

/** Which of these media are in the media library of an account. */
async function libraryKeysAmong(keys: readonly string[], accountId: string, { records }: { records: Records }): Promise<string[]> {
  const query = { scope: { account_id: accountId }, sort: [NEWEST_FIRST], withDeleted: false, limit: keys.length }
  const found = await records.list(LibraryMedia, { ...query, filters: [{ field: LibraryMedia.key, anyOf: keys }] })
  return found.map(({ media_key }) => media_key)
}

/** What is attached to a post: media keys, and what is said about a video. */
interface Attached {
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
async function assertAttachable(
  { mediaKeys, video }: Attached,
  userIds: readonly string[],
  accountId: string,
  services: MediaServices,
): Promise<void> {
  if (mediaKeys.length === 0) return
  const types = await typesOf(mediaKeys, userIds, accountId, services)
  if (!mediaFitPost(types)) throw adsProblem('INVALID_MEDIA', `A post has ${MEDIA_OF_POST}`, 'media_keys')
  const ofVideo = VIDEO_PARAMS.filter((name) => video[name] !== undefined)
  if (ofVideo.length > 0 && types[0] !== 'video')
    throw adsProblem('INVALID_MEDIA', `${ofVideo.join(', ')}: only for a post with a video`, 'media_keys')
}

/** Throws unless the account has a card with this URI (§4.7) that is not deleted. */
async function assertOwnCard(cardUri: string, accountId: string, services: { records: Records }): Promise<void> {
  if (!(await findCard(services, cardUri, accountId)))
    throw adsProblem('CARD_NOT_FOUND', `There is no card ${cardUri} in the account`, 'card_uri')
}

/** A post that an account has made, now or when it is due. */
export interface AdsPostContent extends Attached {
  accountId: string
  authorId: string
  text: string
  name: string | null
  cardUri: string | undefined
  nullcast: boolean
  /** The name of the app. */
  source: string
  replySettings?: string
  scheduledAtMs?: number
}

export interface MakeServices {
  content: Content
  records: Records
  ids: Ids
  now: () => number
}

/** Throws unless the card and the media may be in a post of the account. `callerId`: who asks, whose media may be used too. */
export async function assertUsable(given: AdsPostContent, callerId: string, services: MakeServices): Promise<void> {
  if (given.cardUri !== undefined) await assertOwnCard(given.cardUri, given.accountId, services)
  await assertAttachable(given, [given.authorId, callerId], given.accountId, services)
}

export interface MadePost {
  post: NewPost
  surroundings: Surroundings
  events: readonly Announcement[]
  adsRow: Record<string, unknown>
}

/** Prepares a post outside of the transaction that stores it. */
export async function prepareAdsPost(given: AdsPostContent, { content, ids, now }: Omit<MakeServices, 'records'>): Promise<MadePost> {
  const { accountId, authorId, text, name, cardUri, mediaKeys, nullcast, source, replySettings, scheduledAtMs, video } = given
  const post: NewPost = {
    id: ids.next(),
    authorId,
    text,
    lang: languageOf(text),
    createdAtMs: now(),
    source,
    nullcast,
    mediaKeys,
    replySettings,
    more: { ...(cardUri !== undefined && { card_uri: cardUri }) },
  }
  const adsRow = {
    id: adsPostKey(accountId, post.id),
    post_id: post.id,
    account_id: accountId,
    made: true,
    name,
    scheduled_at_ms: scheduledAtMs ?? null,
    video: Object.keys(video).length > 0 ? JSON.stringify(video) : null,
  }
  const surroundings = await surroundingsOf(post, content)
  return { post, surroundings, events: announcementsOfPost(post, surroundings), adsRow }
}

/** Locks the author, so that of two duplicates at once one sees the other. Throws for one who is suspended or gone. */
async function lockAuthor(transaction: ContentTransaction, authorId: string) {
  const author = await transaction.get(users, authorId, ['disabled'])
  if (!author || author.disabled) throw adsProblem('INVALID_USER_ID', `The user ${authorId} is suspended or gone`, 'as_user_id')
}

/** Stores a post of an account, which v2 reads like any other. Throws for an author who is gone, and for a duplicate. */
export async function storeAdsPost(
  transaction: ContentTransaction,
  announce: Announce,
  { post, surroundings, events, adsRow }: MadePost,
): Promise<void> {
  await lockAuthor(transaction, post.authorId)
  if (await isDuplicate(transaction, post))
    throw adsProblem('DUPLICATE_TWEET', 'The author has posted the same text within 24 hours', 'text')
  await storePost(transaction, post, surroundings)
  await transaction.insert(adsPosts, adsRow)
  await announce(events)
}
