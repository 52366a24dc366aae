import { type Consent, type EventType, eventFamily } from './event-type.ts'

const reads = (scope: string): Consent => ({ access: 'read', scopes: [scope] })

const relation = (verb: string, past: string, consent: Consent, ...madeBy: NonNullable<EventType['madeBy']>): EventType => ({
  summary: `A user ${past} another.`,
  subject: `the user who ${verb}`,
  filter: ['userId'],
  consent,
  madeBy,
})

/** Likes, mutes and blocks. */
export const engagementEvents = eventFamily({
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
