import { type Consent, type EventType, eventFamily } from './event-type.ts'

const reads = (scope: string): Consent => ({ access: 'read', scopes: [scope] })

const relation = (verb: string, past: string, consent: Consent): EventType => ({
  summary: `A user ${past} another.`,
  subject: `the user who ${verb}`,
  filter: ['userId'],
  consent,
})

/** Likes, mutes and blocks. */
export const engagementEvents = eventFamily({
  'like.create': {
    summary: 'A user liked a post.',
    subject: 'the user who likes (`sent`), or the author of the post (`received`)',
    filter: ['userId', 'direction'],
    consent: reads('like.read'),
  },
  'mute.mute': relation('mutes', 'muted', reads('mute.read')),
  'mute.unmute': relation('unmutes', 'unmuted', reads('mute.read')),
  'block.block': relation('blocks', 'blocked', reads('block.read')),
  'block.unblock': relation('unblocks', 'unblocked', reads('block.read')),
})
