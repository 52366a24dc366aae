import { alias, type Consent, type EventAlias, type EventType, eventFamily, pascalCase } from './event-type.ts'
import { chatEvents, directMessageEvents } from './messages.ts'

const READS_POSTS: Consent = { access: 'read', scopes: ['post.read'] }

type Routes = NonNullable<EventType['madeBy']>

const NEW_POSTS: Routes = ['POST /2/posts', 'POST /12/accounts/:account_id/post', 'POST /12/accounts/:account_id/scheduled_posts']
const REPOST: Routes = ['POST /2/users/:id/reposts']

/** What others did with a post of the subject. */
const toSubject = (summary: string, subject: string, madeBy: Routes): EventType => ({
  summary,
  subject,
  madeBy,
  filter: ['userId', 'keyword'],
  consent: READS_POSTS,
})

/** Posts, and what refers to them. */
const postEvents = eventFamily({
  'post.create': {
    summary: 'A user made a post.',
    subject: 'the author of the post',
    filter: ['userId', 'keyword'],
    consent: null,
    madeBy: [...NEW_POSTS, ...REPOST],
  },
  'post.delete': {
    summary: 'A user deleted a post.',
    subject: 'the author of the post',
    filter: ['userId'],
    consent: null,
    madeBy: ['DELETE /2/posts/:id', 'DELETE /2/users/:id/reposts/:source_post_id'],
  },
  'post.mention.create': toSubject('A post mentions a user.', 'the user who is mentioned', NEW_POSTS),
  'post.reply.create': toSubject('A post replies to one of a user.', 'the user who is replied to', ['POST /2/posts']),
  'post.quote.create': toSubject('A post quotes one of a user.', 'the author of the post that is quoted', ['POST /2/posts']),
  'post.repost.create': toSubject('A post of a user was reposted.', 'the author of the post that is reposted', REPOST),
})

const UPDATE: NonNullable<EventType['madeBy']> = ['POST /1.1/account/update_profile']

const profile = (what: string, aliases: readonly EventAlias[], madeBy: EventType['madeBy'] = []): EventType => ({
  summary: `A user changed ${what}.`,
  subject: 'the user whose profile changed',
  filter: ['userId'],
  consent: null,
  aliases,
  madeBy,
})

/** Changes of profiles (§6). */
const profileEvents = eventFamily({
  'profile.update.bio': profile('the description of the profile', pascalCase('ProfileBioUpdate'), UPDATE),
  'profile.update.profile_picture': profile('the profile picture', pascalCase('ProfilePictureUpdate')),
  'profile.update.banner_picture': profile('the banner picture', pascalCase('ProfileBannerUpdate', 'ProfileBannerPictureUpdate')),
  'profile.update.screenname': profile('the name that is displayed', pascalCase('ProfileScreennameUpdate'), UPDATE),
  'profile.update.geo': profile('the location of the profile', pascalCase('ProfileGeoUpdate'), UPDATE),
  'profile.update.url': profile('the URL of the profile', pascalCase('ProfileUrlUpdate'), UPDATE),
  'profile.update.verified': profile('the verified badge', [
    ...alias('profile.update.verified_badge'),
    ...pascalCase('ProfileVerifiedBadgeUpdate'),
  ]),
  'profile.update.affiliate': profile('the affiliate badge', [
    ...alias('profile.update.affiliate_badge'),
    ...pascalCase('ProfileAffiliateBadgeUpdate'),
  ]),
  'profile.update.handle': profile('the username', pascalCase('ProfileHandleUpdate')),
})

const reads = (scope: string): Consent => ({ access: 'read', scopes: [scope] })

const relation = (verb: string, past: string, consent: Consent, ...madeBy: NonNullable<EventType['madeBy']>): EventType => ({
  summary: `A user ${past} another.`,
  subject: `the user who ${verb}`,
  filter: ['userId'],
  consent,
  madeBy,
})

/** Likes, mutes and blocks. */
const engagementEvents = eventFamily({
  'like.create': {
    summary: 'A user liked a post.',
    subject: 'the user who likes (`sent`), or the author of the post (`received`)',
    filter: ['userId', 'direction'],
    consent: reads('like.read'),
    madeBy: ['POST /2/users/:id/likes'],
  },
  'mute.mute': relation('mutes', 'muted', reads('mute.read'), 'POST /2/users/:id/muting'),
  'mute.unmute': relation('unmutes', 'unmuted', reads('mute.read'), 'DELETE /2/users/:source_user_id/muting/:target_user_id'),
  'block.block': relation('blocks', 'blocked', reads('block.read'), 'POST /2/users/:id/blocking'),
  'block.unblock': relation('unblocks', 'unblocked', reads('block.read'), 'DELETE /2/users/:source_user_id/blocking/:target_user_id'),
})

const follow = (summary: string, aliases: readonly EventAlias[], ...madeBy: NonNullable<EventType['madeBy']>): EventType => ({
  summary,
  subject: 'the user who follows (`sent`), or the one who is followed (`received`)',
  filter: ['userId', 'direction'],
  consent: null,
  aliases,
  madeBy,
})

/** Who follows whom. */
const followEvents = eventFamily({
  'follow.follow': follow('A user followed another.', pascalCase('FollowFollow'), 'POST /2/users/:id/following'),
  'follow.unfollow': follow(
    'A user unfollowed another.',
    pascalCase('FollowUnfollow'),
    'DELETE /2/users/:source_user_id/following/:target_user_id',
  ),
})

const live = (summary: string, subject: string, ...madeBy: NonNullable<EventType['madeBy']>): EventType => ({
  summary,
  subject,
  filter: ['userId'],
  consent: null,
  madeBy,
})

/** Spaces and broadcasts. */
const spaceEvents = eventFamily({
  'spaces.start': live('A space started.', 'the host of the space', 'POST /2/spaces', 'PUT /2/spaces/:id'),
  'spaces.end': live('A space ended.', 'the host of the space', 'PUT /2/spaces/:id'),
  'broadcast.start': live('A broadcast started.', 'the user who broadcasts'),
  'broadcast.end': live('A broadcast ended.', 'the user who broadcasts'),
  'broadcast.chat': live('Somebody wrote in the chat of a broadcast.', 'the user who broadcasts'),
})

/** Authorizations of apps. Such an event goes only to the app that its payload names. */
const oauthEvents = eventFamily({
  'oauth.revoke': {
    summary: 'A user revoked the authorization of an app.',
    subject: 'the user who revoked it',
    filter: ['userId'],
    unfiltered: true,
    consent: null,
  },
})

/** News stories. */
const newsEvents = eventFamily({
  'news.new': { summary: 'A news story was published.', filter: ['keyword'], consent: null, aliases: pascalCase('NewsNew') },
})

const declared = {
  ...profileEvents,
  ...newsEvents,
  ...followEvents,
  ...spaceEvents,
  ...directMessageEvents,
  ...chatEvents,
  ...postEvents,
  ...engagementEvents,
  ...oauthEvents,
}

/** The canonical name of an event type. */
export type EventTypeName = keyof typeof declared

/** Every event type of the activity API by its canonical name (§6 and public practice). */
export const eventTypes: Readonly<Record<string, EventType>> = declared

/** The canonical names. */
export const eventTypeNames = Object.keys(declared) as readonly EventTypeName[]

const aliases = new Map<string, EventAlias & { canonical: string }>(
  Object.entries(eventTypes).flatMap(([canonical, type]) => (type.aliases ?? []).map((alias) => [alias.name, { ...alias, canonical }])),
)

/** Every accepted name. */
export const acceptedEventTypes: readonly string[] = [...eventTypeNames, ...aliases.keys()]

/** The canonical name of an accepted event type. */
export const canonicalEventType = (name: string): string => aliases.get(name)?.canonical ?? name

/** Since when a name is deprecated, in ISO 8601, and the name to use instead; undefined for a name that is not deprecated. */
export function deprecationOf(name: string): { since: string; successor: string } | undefined {
  const { deprecatedSince: since, canonical = name } = aliases.get(name) ?? {}
  return since === undefined ? undefined : { since, successor: canonical }
}
