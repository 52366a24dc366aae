import type { Announcement, Subject } from '../../delivery/outbox.ts'

/** What a user says of itself. */
export interface Profile {
  name: string
  description: string
  location: string
  url: string
}

/** The event type of each member. The screen name is what is displayed as the name (§6.8). */
const EVENT_TYPES: Record<keyof Profile, string> = {
  name: 'profile.update.screenname',
  description: 'profile.update.bio',
  location: 'profile.update.geo',
  url: 'profile.update.url',
}

export const MEMBERS = Object.keys(EVENT_TYPES) as (keyof Profile)[]

/** What a change of these members may announce. */
export const profileSubjects = (userId: string, sent: Partial<Profile>): Subject[] =>
  MEMBERS.filter((member) => sent[member] !== undefined).map((member) => ({ eventType: EVENT_TYPES[member], userId }))

/** One event for each member that differs. */
export const profileUpdates = (userId: string, before: Profile, after: Profile): Announcement[] =>
  MEMBERS.filter((member) => before[member] !== after[member]).map((member) => ({
    eventType: EVENT_TYPES[member],
    userId,
    say: async () => ({ payload: { before: before[member], after: after[member] } }),
  }))
