import type { Announcement } from '../../delivery/outbox.ts'
import { publicUsers } from '../objects/public-objects.ts'

interface SpaceChange {
  id: string
  creatorId: string
  atMs: number
}

/** The event that a space began or ended, about its creator. Its `event_type` inside is spelled as in the published samples (§6.8). */
const ofSpace =
  (eventType: string, inner: string) =>
  ({ id, creatorId, atMs }: SpaceChange): Announcement => ({
    eventType,
    userId: creatorId,
    async say(transaction) {
      const users = await publicUsers(transaction, [creatorId], atMs)
      return { payload: { user: { data: users.get(creatorId) }, broadcast_id: id, event_type: inner } }
    },
  })

export const spaceStarted = ofSpace('spaces.start', 'spaces_start')
export const spaceEnded = ofSpace('spaces.end', 'spaces_end')
