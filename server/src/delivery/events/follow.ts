import { type EventAlias, type EventType, eventFamily, pascalCase } from './event-type.ts'

const follow = (summary: string, aliases: readonly EventAlias[]): EventType => ({
  summary,
  subject: 'the user who follows (`sent`), or the one who is followed (`received`)',
  filter: ['userId', 'direction'],
  consent: null,
  aliases,
})

/** Who follows whom. */
export const followEvents = eventFamily({
  'follow.follow': follow('A user followed another.', pascalCase('FollowFollow')),
  'follow.unfollow': follow('A user unfollowed another.', pascalCase('FollowUnfollow')),
})
