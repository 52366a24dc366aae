import { didYouMean } from '../../../server/src/lib/nearest.ts'
import { wrongUsage } from './failure.ts'

/** Every event type that `postern trigger` knows, for completion and for help without a server. A test holds them against those of the server. */
export const eventTypes: Readonly<Record<string, string>> = {
  'profile.update.bio': 'A user changed the description of the profile.',
  'profile.update.profile_picture': 'A user changed the profile picture.',
  'profile.update.banner_picture': 'A user changed the banner picture.',
  'profile.update.screenname': 'A user changed the name that is displayed.',
  'profile.update.geo': 'A user changed the location of the profile.',
  'profile.update.url': 'A user changed the URL of the profile.',
  'profile.update.verified': 'A user changed the verified badge.',
  'profile.update.affiliate': 'A user changed the affiliate badge.',
  'profile.update.handle': 'A user changed the username.',
  'news.new': 'A news story was published.',
  'follow.follow': 'A user followed another.',
  'follow.unfollow': 'A user unfollowed another.',
  'spaces.start': 'A space started.',
  'spaces.end': 'A space ended.',
  'broadcast.start': 'A broadcast started.',
  'broadcast.end': 'A broadcast ended.',
  'broadcast.chat': 'Somebody wrote in the chat of a broadcast.',
  'dm.received': 'A user received a direct message.',
  'dm.sent': 'A user sent a direct message.',
  'dm.read': 'A user read direct messages.',
  'dm.indicate_typing': 'A user is typing a direct message.',
  'chat.received': 'A user received an encrypted message.',
  'chat.sent': 'A user sent an encrypted message.',
  'chat.conversation_join': 'A user joined an encrypted conversation.',
  'chat.conversation.member_added': 'A member was added to an encrypted conversation.',
  'chat.conversation.member_removed': 'A member was removed from an encrypted conversation.',
  'chat.conversation.admin_added': 'An administrator was added to an encrypted conversation.',
  'chat.conversation.admin_removed': 'An administrator was removed from an encrypted conversation.',
  'chat.update.group_name': 'The name of an encrypted group was changed.',
  'chat.update.restrictions': 'The restrictions of an encrypted conversation were changed.',
  'post.create': 'A user made a post.',
  'post.delete': 'A user deleted a post.',
  'post.mention.create': 'A post mentions a user.',
  'post.reply.create': 'A post replies to one of a user.',
  'post.quote.create': 'A post quotes one of a user.',
  'post.repost.create': 'A post of a user was reposted.',
  'like.create': 'A user liked a post.',
  'mute.mute': 'A user muted another.',
  'mute.unmute': 'A user unmuted another.',
  'block.block': 'A user blocked another.',
  'block.unblock': 'A user unblocked another.',
  'oauth.revoke': 'A user revoked the authorization of an app.',
}

/** Former names that the server accepts still. */
export const formerEventTypes: readonly string[] = [
  'ProfileBioUpdate',
  'ProfilePictureUpdate',
  'ProfileBannerUpdate',
  'ProfileBannerPictureUpdate',
  'ProfileScreennameUpdate',
  'ProfileGeoUpdate',
  'ProfileUrlUpdate',
  'profile.update.verified_badge',
  'ProfileVerifiedBadgeUpdate',
  'profile.update.affiliate_badge',
  'ProfileAffiliateBadgeUpdate',
  'ProfileHandleUpdate',
  'NewsNew',
  'FollowFollow',
  'FollowUnfollow',
  'chat.conversation.join',
]

const known = [...Object.keys(eventTypes), ...formerEventTypes]

/** Throws a `Failure` for what is no event type, before anything is sent. */
export function checkEventType(name: string): void {
  if (!known.includes(name)) throw wrongUsage(`${name} is no event type.${didYouMean(name, known)} \`postern trigger\` lists them.`)
}
