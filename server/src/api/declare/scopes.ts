/** The scopes of OAuth 2.0 (§5.6, public practice), and what each lets an app do, as the approval page says it. */
export const scopeWords = {
  'post.read': 'See posts, also those of protected accounts that you can see',
  'post.write': 'Post, repost and delete posts, and start and end Spaces for you',
  'post.moderate.write': 'Hide and unhide replies to your posts',
  'users.read': 'See accounts that you can see, your own among them',
  'users.email': 'See your email address',
  'follows.read': 'See whom you follow and who follows you',
  'follows.write': 'Follow and unfollow accounts for you',
  'offline.access': 'Stay connected to your account until its access is revoked',
  'space.read': 'See Spaces that you can see',
  'mute.read': 'See accounts that you have muted',
  'mute.write': 'Mute and unmute accounts for you',
  'like.read': 'See posts that you have liked',
  'like.write': 'Like and unlike posts for you',
  'list.read': 'See Lists, their members and followers, your private Lists among them',
  'list.write': 'Create, change and delete Lists for you',
  'block.read': 'See accounts that you have blocked',
  'block.write': 'Block and unblock accounts for you',
  'bookmark.read': 'See posts that you have bookmarked',
  'bookmark.write': 'Bookmark posts and remove bookmarks for you',
  'dm.read': 'See your direct messages',
  'dm.write': 'Send and delete direct messages for you',
  'media.write': 'Upload media for you',
  'timeline.read': 'See your timeline',
} as const satisfies Record<string, string>

export type Scope = keyof typeof scopeWords

/** With it an app gets a refresh token. */
export const OFFLINE: Scope = 'offline.access'

/** A scope for either of its spellings (`post.read`, `tweet.read`; `follows.read`, `follow.read`); undefined when there is none. */
export function scopeNamed(name: string): Scope | undefined {
  const canonical = name.replace(/^tweet\./, 'post.').replace(/^follow\./, 'follows.')
  return Object.hasOwn(scopeWords, canonical) ? (canonical as Scope) : undefined
}

/** The scopes of a text with spaces between, each once; undefined when there is none, or one of them is unknown. */
export function parseScopes(text: string): Scope[] | undefined {
  const scopes = text.split(' ').flatMap((name) => (name === '' ? [] : [scopeNamed(name)]))
  return scopes.length === 0 || scopes.includes(undefined) ? undefined : [...new Set(scopes as Scope[])]
}

/** The first name of a text that is not that of a scope; undefined when there is none, or it is no name to repeat. */
export const unknownScopeOf = (text: string): string | undefined =>
  text.split(' ').find((name) => /^[\w.]{1,40}$/.test(name) && scopeNamed(name) === undefined)
