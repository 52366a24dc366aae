/** §6 and public practice: the canonical names of the public types. */
export const PUBLIC = [
  ...['profile.update.bio', 'profile.update.profile_picture', 'profile.update.banner_picture', 'profile.update.screenname'],
  ...['profile.update.geo', 'profile.update.url', 'profile.update.verified', 'profile.update.affiliate', 'profile.update.handle'],
  ...['news.new', 'follow.follow', 'follow.unfollow', 'spaces.start', 'spaces.end'],
  ...['broadcast.start', 'broadcast.end', 'broadcast.chat', 'post.create', 'post.delete', 'oauth.revoke'],
]

/** The types that are private, with the access or the scope that their user must have granted (§5.6, §5.7). */
export const PRIVATE: readonly [types: readonly string[], access: string, scope: string][] = [
  [
    [
      ...['dm.received', 'dm.sent', 'dm.read', 'dm.indicate_typing', 'chat.received', 'chat.sent', 'chat.conversation_join'],
      ...['chat.conversation.member_added', 'chat.conversation.member_removed', 'chat.conversation.admin_added'],
      ...['chat.conversation.admin_removed', 'chat.update.group_name', 'chat.update.restrictions'],
    ],
    ...(['read_write_dm', 'dm.read'] as const),
  ],
  [['post.mention.create', 'post.reply.create', 'post.quote.create', 'post.repost.create'], 'read', 'post.read'],
  [['like.create'], 'read', 'like.read'],
  [['mute.mute', 'mute.unmute'], 'read', 'mute.read'],
  [['block.block', 'block.unblock'], 'read', 'block.read'],
]

/** Every event type. A new one is added above, with its consent. */
export const CANONICAL = [...PUBLIC, ...PRIVATE.flatMap(([types]) => types)]
