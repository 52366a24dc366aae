import { type EventAlias, type EventType, eventFamily, pascalCase } from './event-type.ts'

const follow = (summary: string, aliases: readonly EventAlias[], ...madeBy: NonNullable<EventType['madeBy']>): EventType => ({
  summary,
  subject: 'the user who follows (`sent`), or the one who is followed (`received`)',
  filter: ['userId', 'direction'],
  consent: null,
  aliases,
  madeBy,
})

/** Who follows whom. */
export const followEvents = eventFamily({
  'follow.follow': follow('A user followed another.', pascalCase('FollowFollow'), 'POST /2/users/:id/following'),
  'follow.unfollow': follow(
    'A user unfollowed another.',
    pascalCase('FollowUnfollow'),
    'DELETE /2/users/:source_user_id/following/:target_user_id',
  ),
})
