import type { Content } from '../../../storage/content.ts'
import { adsPostKey, adsPosts, type ContentRow, type ContentTable, media, posts, users } from '../../../storage/content-tables.ts'
import type { AttachedMedia, StoredEntities } from '../../objects/v1-entities.ts'
import { v1UserOf } from '../../users/v1-user.ts'

const orNull = (text: unknown) => (text === '' || text === undefined ? null : (text as string | null))

/** A user with the profile, as `/1.1/` and the advertising API answer it. */
export const v1ProfileOf = (user: Readonly<Record<string, unknown>>) => ({
  ...v1UserOf({
    id: user.id as string,
    name: user.name as string,
    username: user.username as string,
    createdAtMs: user.created_at_ms as number,
  }),
  description: user.description as string,
  location: user.location as string,
  url: orNull(user.url),
  protected: Boolean(user.protected),
  verified: Boolean(user.verified),
  profile_image_url_https: orNull(user.profile_image_url),
  profile_banner_url: orNull(user.profile_banner_url),
  followers_count: user.followers_count as number,
  friends_count: user.following_count as number,
  listed_count: user.listed_count as number,
  favourites_count: user.like_count as number,
  statuses_count: user.post_count as number,
})

/** What the account knows of a post. */
interface AdsDetails {
  name: string | null
  video: object | null
  scheduledAtMs?: number
  scheduledStatus: 'SCHEDULED' | 'SUCCESS' | 'FAILED' | 'DELETED' | null
  type: 'PUBLISHED' | 'SCHEDULED'
}

/** A post with everything that an answer of the advertising API shows. */
export interface LoadedPost {
  id: string
  text: string
  createdAtMs: number
  lang: string
  source: string
  replySettings: string
  nullcast: boolean
  isQuote: boolean
  repostCount: number
  likeCount: number
  cardUri?: string
  entities: string | null
  inReplyTo: { postId?: string; userId?: string; username?: string }
  author: ReturnType<typeof v1ProfileOf>
  /** The names of users who are mentioned, by id. */
  names: ReadonlyMap<string, string>
  media: readonly AttachedMedia[]
  ads: AdsDetails
}

type Reads = Pick<Content, 'rows'>
type Values = Readonly<Record<string, unknown>>

/** Rows as objects, by their key. */
export async function valuesByKey(content: Reads, table: ContentTable, keys: readonly string[]): Promise<Map<string, Values>> {
  const columns = Object.keys(table.columns)
  const rows = await content.rows(table, columns, [...new Set(keys)])
  const asObject = (row: ContentRow) => Object.fromEntries(columns.map((column, place) => [column, row[place]]))
  return new Map(rows.map(asObject).map((values) => [values[table.key] as string, values]))
}

const parsed = <T>(json: unknown): T | undefined => (typeof json === 'string' ? (JSON.parse(json) as T) : undefined)

const orUndefined = <T>(value: unknown) => (value === null ? undefined : (value as T))

const mentionedIn = ({ entities }: Values) => (parsed<StoredEntities>(entities)?.mentions ?? []).flatMap(({ id }) => id ?? [])

const keysIn = ({ media_keys }: Values) => parsed<string[]>(media_keys) ?? []

const mediaOf = ({ media_key, type, url, preview_image_url }: Values) =>
  ({ key: media_key, type, url, previewUrl: preview_image_url }) as AttachedMedia

const PUBLISHED: AdsDetails = { name: null, video: null, scheduledStatus: null, type: 'PUBLISHED' }

function detailsOf(row: Values | undefined): AdsDetails {
  if (!row) return PUBLISHED
  const scheduledAtMs = orUndefined<number>(row.scheduled_at_ms)
  return {
    name: row.name as string | null,
    video: parsed<object>(row.video) ?? null,
    type: 'PUBLISHED',
    ...(scheduledAtMs !== undefined && { scheduledAtMs }),
    scheduledStatus: scheduledAtMs === undefined ? null : 'SUCCESS',
  }
}

/** Users and media that rows of posts, or of posts to come, refer to. Each kind is read once. */
export async function loadReferences(content: Reads, rows: readonly Values[], userColumns: readonly string[]) {
  const userIds = rows.flatMap((row) => [...userColumns.flatMap((column) => orUndefined<string>(row[column]) ?? []), ...mentionedIn(row)])
  const [people, attached] = await Promise.all([valuesByKey(content, users, userIds), valuesByKey(content, media, rows.flatMap(keysIn))])
  return {
    people,
    names: new Map([...people].map(([id, { name }]) => [id, name as string])),
    mediaOf: (row: Values) => keysIn(row).flatMap((key) => (attached.has(key) ? [mediaOf(attached.get(key)!)] : [])),
  }
}

/**
 * The posts with these ids that exist, in their order, with what answers to an account show of them. The number of statements does not depend on
 * how many.
 */
export async function loadPosts(content: Reads, ids: readonly string[], accountId: string): Promise<LoadedPost[]> {
  const adsKeys = ids.map((id) => adsPostKey(accountId, id))
  const [found, known] = await Promise.all([valuesByKey(content, posts, ids), valuesByKey(content, adsPosts, adsKeys)])
  const rows = ids.flatMap((id): Values[] => (found.has(id) ? [found.get(id)!] : []))
  const { people, names, mediaOf } = await loadReferences(content, rows, ['author_id', 'in_reply_to_user_id'])
  return rows.flatMap((row): LoadedPost[] => {
    const author = people.get(row.author_id as string)
    if (!author) return []
    const [id, repliedUser] = [row.id as string, orUndefined<string>(row.in_reply_to_user_id)]
    const replied = repliedUser === undefined ? undefined : people.get(repliedUser)
    return [
      {
        id,
        text: row.text as string,
        createdAtMs: row.created_at_ms as number,
        lang: row.lang as string,
        source: row.source as string,
        replySettings: row.reply_settings as string,
        nullcast: Boolean(row.nullcast),
        isQuote: row.quoted_id !== null,
        repostCount: row.repost_count as number,
        likeCount: row.like_count as number,
        cardUri: parsed<{ card_uri?: string }>(row.more)?.card_uri,
        entities: row.entities as string | null,
        inReplyTo: { postId: orUndefined(row.replied_to_id), userId: repliedUser, username: replied?.username as string | undefined },
        author: v1ProfileOf(author),
        names,
        media: mediaOf(row),
        ads: detailsOf(known.get(adsPostKey(accountId, id))),
      },
    ]
  })
}
