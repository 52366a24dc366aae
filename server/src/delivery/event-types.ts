/** The filter members that an event type allows. */
interface EventType {
  userId: boolean
  keyword: boolean
  direction: boolean
  /** Allows subscriptions without a filter. */
  unfiltered?: true
}

const ofUser: EventType = { userId: true, keyword: false, direction: false }
const conversation: EventType = { userId: true, keyword: false, direction: true }
const ofText: EventType = { userId: true, keyword: true, direction: false }

/** Every event type of the activity API in its canonical spelling (§6 and public practice). */
export const eventTypes: Record<string, EventType> = {
  'profile.update.bio': ofUser,
  'profile.update.profile_picture': ofUser,
  'profile.update.banner_picture': ofUser,
  'profile.update.screenname': ofUser,
  'profile.update.geo': ofUser,
  'profile.update.url': ofUser,
  'profile.update.verified': ofUser,
  'profile.update.affiliate': ofUser,
  'profile.update.handle': ofUser,
  'news.new': { userId: false, keyword: true, direction: false },
  'follow.follow': ofUser,
  'follow.unfollow': ofUser,
  'spaces.start': ofUser,
  'spaces.end': ofUser,
  'broadcast.start': ofUser,
  'broadcast.end': ofUser,
  'broadcast.chat': ofUser,
  'dm.received': conversation,
  'dm.sent': conversation,
  'dm.read': conversation,
  'dm.indicate_typing': conversation,
  'chat.received': conversation,
  'chat.sent': conversation,
  'chat.conversation_join': conversation,
  'chat.conversation.member_added': conversation,
  'chat.conversation.member_removed': conversation,
  'chat.conversation.admin_added': conversation,
  'chat.conversation.admin_removed': conversation,
  'chat.update.group_name': conversation,
  'chat.update.restrictions': conversation,
  'post.create': ofText,
  'post.delete': ofUser,
  'post.mention.create': ofText,
  'post.reply.create': ofText,
  'post.quote.create': ofText,
  'post.repost.create': ofText,
  'like.create': ofUser,
  'mute.mute': ofUser,
  'mute.unmute': ofUser,
  'block.block': ofUser,
  'block.unblock': ofUser,
  'oauth.revoke': { ...ofUser, unfiltered: true },
}

/** Accepted aliases; responses use the canonical name. The PascalCase ones are deprecated (§6, §9). */
const aliases: Record<string, string> = {
  'profile.update.verified_badge': 'profile.update.verified',
  'profile.update.affiliate_badge': 'profile.update.affiliate',
  'chat.conversation.join': 'chat.conversation_join',
  ProfileBioUpdate: 'profile.update.bio',
  ProfilePictureUpdate: 'profile.update.profile_picture',
  ProfileBannerUpdate: 'profile.update.banner_picture',
  ProfileBannerPictureUpdate: 'profile.update.banner_picture',
  ProfileScreennameUpdate: 'profile.update.screenname',
  ProfileGeoUpdate: 'profile.update.geo',
  ProfileUrlUpdate: 'profile.update.url',
  ProfileVerifiedBadgeUpdate: 'profile.update.verified',
  ProfileAffiliateBadgeUpdate: 'profile.update.affiliate',
  ProfileHandleUpdate: 'profile.update.handle',
  NewsNew: 'news.new',
  FollowFollow: 'follow.follow',
  FollowUnfollow: 'follow.unfollow',
}

/** Every accepted name. */
export const acceptedEventTypes: readonly string[] = [...Object.keys(eventTypes), ...Object.keys(aliases)]

/** The canonical name of an accepted event type. */
export const canonicalEventType = (name: string): string => aliases[name] ?? name

/** Accepted names of directions with their canonical name. */
export const directions = { sent: 'sent', received: 'received', outbound: 'sent', inbound: 'received' } as const
