import { adsProblem } from '../../../api/declare/problem.ts'
import type { Announce, Announcement } from '../../../delivery/outbox.ts'
import type { Ids } from '../../../lib/ids.ts'
import { languageOf } from '../../../lib/post-text/language.ts'
import type { Content, ContentTransaction } from '../../../storage/content.ts'
import { adsPostKey, adsPosts, users } from '../../../storage/content-tables.ts'
import type { Records } from '../../../storage/records.ts'
import { type NewPost, type Surroundings, surroundingsOf } from '../../posts/new-post.ts'
import { announcementsOfPost } from '../../posts/post-events.ts'
import { isDuplicate, storePost } from '../../posts/store-post.ts'
import { assertOwnCard } from './own-card.ts'
import { type Attached, assertAttachable } from './post-media.ts'

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
