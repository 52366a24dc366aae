import {
  anyObject,
  anything,
  boolean,
  integer,
  listOf,
  object,
  objectId,
  oneOf,
  optional,
  text,
  timestamp,
} from '../../api/declare/words.ts'
import { dataObject, type Expansion, type ObjectField } from '../../api/objects/data-object.ts'
import { refersInJson, refersToMany, refersToNone, refersToOne } from '../../api/objects/expansions.ts'
import { computedOnly, fieldsOf } from '../../api/objects/fields.ts'
import { posts } from '../../storage/content-tables.ts'

const { stored, counts, rare, computed } = fieldsOf(posts)

/** The columns that refer to other posts, with the type of each reference. */
const REFERENCES = { replied_to_id: 'replied_to', quoted_id: 'quoted', reposted_id: 'reposted' } as const
const REFERENCE_COLUMNS = Object.keys(REFERENCES)

const references: ObjectField = {
  word: listOf(object({ type: { ...oneOf(Object.values(REFERENCES)), 'x-dialect': 'value' as const }, id: objectId() })),
  columns: REFERENCE_COLUMNS,
  read: (given: { type: string; id: string }[]) =>
    Object.fromEntries(
      REFERENCE_COLUMNS.flatMap((column) =>
        given.filter(({ type }) => type === REFERENCES[column as keyof typeof REFERENCES]).map(({ id }) => [column, String(BigInt(id))]),
      ),
    ),
  compile(placeOf, spell) {
    const parts = Object.entries(REFERENCES).map(([column, type]) => ({
      before: `{"type":"${spell(type)}","id":"`,
      place: placeOf(column),
    }))
    return (row) => {
      const written = parts.flatMap(({ before, place }) => (row[place] === null ? [] : [`${before}${row[place]}"}`]))
      return written.length > 0 ? `[${written.join()}]` : undefined
    }
  },
}

const attachments: ObjectField = {
  word: object({ media_keys: optional(listOf(text())), poll_ids: optional(listOf(text())) }),
  columns: ['media_keys', 'poll_id'],
  read: ({ media_keys, poll_ids }: { media_keys?: string[]; poll_ids?: string[] }) => ({
    ...(media_keys && { media_keys }),
    ...(poll_ids?.[0] !== undefined && { poll_id: poll_ids[0] }),
  }),
  compile(placeOf) {
    const [mediaKeys, poll] = [placeOf('media_keys'), placeOf('poll_id')]
    return (row) => {
      const written = [...(row[mediaKeys] ? [`"media_keys":${row[mediaKeys]}`] : []), ...(row[poll] ? [`"poll_ids":["${row[poll]}"]`] : [])]
      return written.length > 0 ? `{${written.join()}}` : undefined
    }
  },
}

/** The ids of a post that was edited, oldest first; undefined for one that never was. */
const versionsIn = (more: unknown): string[] | undefined =>
  typeof more === 'string' && more.includes('"edit_history_post_ids"') ? JSON.parse(more).edit_history_post_ids : undefined

const editHistory: ObjectField = {
  word: listOf(objectId()),
  isDefault: 'in x',
  columns: ['id', 'more'],
  read: (ids: string[]) => (ids.length > 1 ? { more: { edit_history_post_ids: ids } } : {}),
  compile(placeOf) {
    const [id, more] = [placeOf('id'), placeOf('more')]
    return (row) => {
      const versions = versionsIn(row[more])
      return versions ? JSON.stringify(versions) : `["${row[id]}"]`
    }
  },
}

const author = refersToOne('user', 'author_id')
const mediaKeys = refersToMany('media', 'media_keys', 'attachments')

/** Users who are mentioned and exist. */
const mentioned = refersInJson('user', { column: 'entities', member: 'mentions', field: 'entities' }, (mentions: { id?: string }[]) =>
  mentions.flatMap(({ id }) => id ?? []),
)

/** The versions of a post: of one that was never edited, itself. A seed need not have the older ones: a new row, without an id, refers to none. */
const versions: Expansion = {
  to: 'post',
  field: 'edit_history_post_ids',
  columns: ['id', 'more'],
  compile(placeOf) {
    const [id, more] = [placeOf('id'), placeOf('more')]
    return (row) => (row[id] === null ? [] : (versionsIn(row[more]) ?? [row[id] as string]))
  },
}

const referenced: Expansion = {
  to: 'post',
  field: 'referenced_posts',
  columns: REFERENCE_COLUMNS,
  compile(placeOf) {
    const places = REFERENCE_COLUMNS.map(placeOf)
    return (row) => places.flatMap((place) => (row[place] as string | null) ?? [])
  },
}

/** Entities in a text (§2.9). Members that are empty are left out. */
export const entitiesSchema = anyObject({
  description: 'Hashtags, cashtags, mentions, URLs and annotations, with their places in code points.',
})

const MINUTE_MS = 60_000
const EDITABLE_MINUTES = 60

/** A post (§2.9). Newer clients call the expansions of the author and of referenced posts `username` and `referenced_posts`. */
export const Post = dataObject({
  kind: 'post',
  plural: 'posts',
  title: 'post',
  schemaName: 'Post',
  resourceType: 'post',
  table: posts,
  owner: 'author_id',
  fields: {
    id: stored('id', objectId(), { isDefault: true }),
    text: stored('text', text({ min: 0, example: 'Hello' }), { isDefault: true }),
    edit_history_post_ids: editHistory,
    article: rare('article', anyObject()),
    article_title: rare('article_title', text()),
    attachments,
    author_id: stored('author_id', objectId({ example: '101' })),
    card_uri: rare('card_uri', text()),
    community_id: rare('community_id', objectId()),
    context_annotations: rare('context_annotations', listOf(anyObject())),
    conversation_id: computedOnly(stored('conversation_id', objectId())),
    created_at: stored('created_at_ms', timestamp()),
    display_text_range: rare('display_text_range', listOf(integer({ min: 0 }))),
    edit_controls: computed(
      ['created_at_ms'],
      object({ edits_remaining: integer({ min: 0 }), is_edit_eligible: boolean(), editable_until: timestamp() }),
      ([ms]) => ({
        edits_remaining: 5,
        is_edit_eligible: false,
        editable_until: new Date((ms as number) + EDITABLE_MINUTES * MINUTE_MS).toISOString(),
      }),
    ),
    entities: computedOnly(stored('entities', entitiesSchema)),
    geo: computed(['place_id', 'more'], object({ place_id: text() }), ([place]) => (place ? { place_id: place } : undefined), {
      read: ({ place_id }: { place_id: string }) => ({ place_id }),
    }),
    in_reply_to_user_id: computedOnly(stored('in_reply_to_user_id', objectId({ example: '101' }))),
    lang: stored('lang', text({ example: 'en' })),
    matched_media_notes: rare('matched_media_notes', anything()),
    media_metadata: rare('media_metadata', listOf(anyObject())),
    non_public_metrics: counts(
      { impression_count: 'impression_count', url_link_clicks: 'url_link_clicks', user_profile_clicks: 'user_profile_clicks' },
      { only: 'owner' },
    ),
    note_request_suggestions: rare('note_request_suggestions', anything()),
    note_post: rare('note_post', anyObject()),
    organic_metrics: counts(
      {
        impression_count: 'impression_count',
        like_count: 'like_count',
        reply_count: 'reply_count',
        repost_count: 'repost_count',
        url_link_clicks: 'url_link_clicks',
        user_profile_clicks: 'user_profile_clicks',
      },
      { only: 'owner' },
    ),
    paid_partnership: rare('paid_partnership', anything()),
    possibly_sensitive: stored('possibly_sensitive', boolean()),
    promoted_metrics: { ...rare('promoted_metrics', anyObject()), only: 'owner' },
    public_metrics: counts({
      repost_count: 'repost_count',
      reply_count: 'reply_count',
      like_count: 'like_count',
      quote_count: 'quote_count',
      bookmark_count: 'bookmark_count',
      impression_count: 'impression_count',
    }),
    referenced_posts: references,
    reply_settings: stored('reply_settings', text({ example: 'everyone' })),
    scopes: rare('scopes', anyObject()),
    source: stored('source', text()),
    suggested_source_links: rare('suggested_source_links', anything()),
    suggested_source_links_with_counts: rare('suggested_source_links_with_counts', anything()),
    withheld: rare('withheld', anyObject()),
  },
  expansions: {
    'article.cover_media': refersToNone('media', 'article'),
    'article.media_entities': refersToNone('media', 'article'),
    'attachments.media_keys': mediaKeys,
    'attachments.media_source_post': refersToNone('post', 'attachments'),
    'attachments.poll_ids': refersToOne('poll', 'poll_id', 'attachments'),
    author_id: author,
    edit_history_post_ids: versions,
    'entities.mentions.username': mentioned,
    'entities.note.mentions.username': refersToNone('user', 'note_post'),
    'geo.place_id': refersToOne('place', 'place_id', 'geo'),
    in_reply_to_user_id: refersToOne('user', 'in_reply_to_user_id'),
    referenced_posts: referenced,
    'referenced_posts.id': referenced,
    'referenced_posts.id.author_id': { ...refersToOne('user', 'author_id'), after: 'referenced_posts.id' },
    'referenced_posts.id.attachments.media_keys': { ...mediaKeys, after: 'referenced_posts.id' },
    username: author,
  },
})
