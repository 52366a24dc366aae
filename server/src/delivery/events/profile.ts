import { alias, type EventAlias, type EventType, eventFamily, pascalCase } from './event-type.ts'

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
export const profileEvents = eventFamily({
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
