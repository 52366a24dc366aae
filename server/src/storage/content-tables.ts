/**
 * The tables of the data objects (§2.9): posts, users, media and what belongs to them. Objects are read as rows of the columns that a request
 * needs.
 */

/**
 * How a column is stored and read. `bigid`: a number of up to 64 bits, read as text. `time`: milliseconds since 1970. `json`: JSON as text.
 * `flag`: 0 and 1, or false and true.
 */
export type ContentColumn = 'text' | 'bigid' | 'number' | 'flag' | 'time' | 'json'

export interface ContentTable {
  name: string
  /** What its rows are selected from, where it is more than the table. */
  from?: string
  /** The table that some of its columns are read from alone, where it has a row for each. */
  alone?: Pick<ContentTable, 'name' | 'columns'>
  key: string
  columns: Readonly<Record<string, ContentColumn>>
}

/** A row with the columns that were asked for, in that order. */
export type ContentRow = readonly unknown[]

export const posts = {
  name: 'posts',
  key: 'id',
  columns: {
    id: 'bigid',
    author_id: 'text',
    text: 'text',
    created_at_ms: 'time',
    conversation_id: 'bigid',
    lang: 'text',
    source: 'text',
    text_hash: 'bigid',
    reply_settings: 'text',
    possibly_sensitive: 'flag',
    hidden: 'flag',
    nullcast: 'flag',
    restriction: 'text',
    in_reply_to_user_id: 'text',
    replied_to_id: 'bigid',
    quoted_id: 'bigid',
    reposted_id: 'bigid',
    reposted_author_id: 'text',
    entities: 'json',
    media_keys: 'json',
    poll_id: 'text',
    place_id: 'text',
    more: 'json',
    repost_count: 'number',
    reply_count: 'number',
    like_count: 'number',
    quote_count: 'number',
    bookmark_count: 'number',
    impression_count: 'number',
    url_link_clicks: 'number',
    user_profile_clicks: 'number',
  },
} as const satisfies ContentTable

/** What is read of `users` with the profile. */
const accountColumns = {
  id: 'text',
  username: 'text',
  username_key: 'text',
  name: 'text',
  disabled: 'flag',
  created_at_ms: 'time',
} as const

const profileColumns = {
  description: 'text',
  location: 'text',
  url: 'text',
  profile_image_url: 'text',
  profile_banner_url: 'text',
  entities: 'json',
  protected: 'flag',
  verified: 'flag',
  verified_type: 'text',
  receives_dms: 'flag',
  pinned_post_id: 'bigid',
  most_recent_post_id: 'bigid',
  more: 'json',
  followers_count: 'number',
  following_count: 'number',
  post_count: 'number',
  listed_count: 'number',
  like_count: 'number',
  media_count: 'number',
} as const

/** The part of a user that is stored in `users`: what sign-in needs. */
export const userAccounts = {
  name: 'users',
  key: 'id',
  columns: { ...accountColumns, password_hash: 'text' },
} as const satisfies ContentTable

/** The other part of a user. */
export const profiles = {
  name: 'profiles',
  key: 'user_id',
  columns: { user_id: 'text', ...profileColumns },
} as const satisfies ContentTable

/** Users with their profiles: a user has both rows. */
export const users = {
  name: 'users',
  from: 'users join profiles on profiles.user_id = users.id',
  alone: userAccounts,
  key: 'id',
  columns: { ...accountColumns, ...profileColumns },
} as const satisfies ContentTable

export const media = {
  name: 'media',
  key: 'media_key',
  columns: {
    media_key: 'text',
    owner_id: 'text',
    type: 'text',
    url: 'text',
    preview_image_url: 'text',
    alt_text: 'text',
    category: 'text',
    width: 'number',
    height: 'number',
    duration_ms: 'number',
    variants: 'json',
    created_at_ms: 'time',
    view_count: 'number',
    more: 'json',
  },
} as const satisfies ContentTable

export const polls = {
  name: 'polls',
  key: 'id',
  columns: { id: 'text', options: 'json', duration_minutes: 'number', end_ms: 'time' },
} as const satisfies ContentTable

export const places = {
  name: 'places',
  key: 'id',
  columns: {
    id: 'text',
    full_name: 'text',
    name: 'text',
    country: 'text',
    country_code: 'text',
    place_type: 'text',
    geo: 'json',
    contained_within: 'json',
  },
} as const satisfies ContentTable

export const lists = {
  name: 'lists',
  key: 'id',
  columns: {
    id: 'bigid',
    owner_id: 'text',
    name: 'text',
    description: 'text',
    private: 'flag',
    created_at_ms: 'time',
    member_count: 'number',
    follower_count: 'number',
  },
} as const satisfies ContentTable

export const spaces = {
  name: 'spaces',
  key: 'id',
  columns: {
    id: 'text',
    creator_id: 'text',
    title: 'text',
    state: 'text',
    lang: 'text',
    is_ticketed: 'flag',
    created_at_ms: 'time',
    updated_at_ms: 'time',
    scheduled_start_ms: 'time',
    started_at_ms: 'time',
    ended_at_ms: 'time',
    participant_count: 'number',
    subscriber_count: 'number',
    host_ids: 'json',
    speaker_ids: 'json',
    invited_user_ids: 'json',
    topic_ids: 'json',
  },
} as const satisfies ContentTable

export const topics = {
  name: 'topics',
  key: 'id',
  columns: { id: 'text', name: 'text', description: 'text' },
} as const satisfies ContentTable

export const directMessages = {
  name: 'dm_events',
  key: 'id',
  columns: {
    id: 'bigid',
    conversation_id: 'text',
    event_type: 'text',
    sender_id: 'text',
    text: 'text',
    created_at_ms: 'time',
    entities: 'json',
    media_keys: 'json',
    referenced_post_id: 'bigid',
    participant_ids: 'json',
  },
} as const satisfies ContentTable

/** The profile of a user who has said nothing yet. */
export const EMPTY_PROFILE = {
  description: '',
  location: '',
  url: '',
  profile_image_url: '',
  profile_banner_url: '',
  protected: false,
  verified: false,
  verified_type: '',
  receives_dms: true,
  followers_count: 0,
  following_count: 0,
  post_count: 0,
  listed_count: 0,
  like_count: 0,
  media_count: 0,
}

/**
 * What an account knows of a post besides: whether it made the post, its name, when it was scheduled for, and its video. Two accounts that may
 * promote the same post know nothing of each other.
 */
export const adsPosts = {
  name: 'ads_posts',
  key: 'id',
  columns: { id: 'text', post_id: 'bigid', account_id: 'text', made: 'flag', name: 'text', scheduled_at_ms: 'time', video: 'json' },
} as const satisfies ContentTable

/** The key of what an account knows of a post. */
export const adsPostKey = (accountId: string, postId: string) => `${accountId} ${postId}`

/** Posts that an account has published later. `due_at_ms` is null once nothing is to be done. */
export const scheduledPosts = {
  name: 'scheduled_posts',
  key: 'id',
  columns: {
    id: 'text',
    position: 'bigid',
    account_id: 'text',
    user_id: 'text',
    creator_id: 'text',
    changer_id: 'text',
    text: 'text',
    name: 'text',
    card_uri: 'text',
    media_keys: 'json',
    nullcast: 'flag',
    video: 'json',
    source: 'text',
    scheduled_at_ms: 'time',
    status: 'text',
    post_id: 'bigid',
    created_at_ms: 'time',
    updated_at_ms: 'time',
    completed_at_ms: 'time',
    due_at_ms: 'time',
    worker: 'number',
  },
} as const satisfies ContentTable

/** All of them; of a user the part that is stored in `users` belongs to sign-in. */
export const contentTables: readonly ContentTable[] = [
  ...[adsPosts, scheduledPosts],
  ...[posts, users, media, polls, places, lists, spaces, topics, directMessages],
]

/**
 * A relation between two objects: who follows, likes, is a member. Each pair has at most one. Members and participants are the targets of their
 * list or conversation, spaces have those who bought a ticket, and media the posts and conversations that carry them as targets; all other relations begin at the user who acts.
 */
export const relations = [
  'follow',
  'mute',
  'block',
  'like',
  'bookmark',
  'list_member',
  'list_follower',
  'list_pin',
  'dm_participant',
  'dm_deleted',
  'media_post',
  'media_conversation',
  'space_buyer',
] as const

export type Relation = (typeof relations)[number]

/** A counter of one end of a relation: how many relations of the kind it has. */
interface RelationCounter {
  end: 'source' | 'target'
  table: ContentTable
  column: string
  /** It counts relations of public lists alone: it must not tell of private ones. */
  ofPublic?: true
}

/** The counters that a relation changes when it comes, and when it goes. */
export const relationCounters: Partial<Record<Relation, readonly RelationCounter[]>> = {
  follow: [
    { end: 'source', table: users, column: 'following_count' },
    { end: 'target', table: users, column: 'followers_count' },
  ],
  like: [
    { end: 'source', table: users, column: 'like_count' },
    { end: 'target', table: posts, column: 'like_count' },
  ],
  bookmark: [{ end: 'target', table: posts, column: 'bookmark_count' }],
  list_member: [
    { end: 'source', table: lists, column: 'member_count' },
    { end: 'target', table: users, column: 'listed_count', ofPublic: true },
  ],
  list_follower: [{ end: 'target', table: lists, column: 'follower_count' }],
}
