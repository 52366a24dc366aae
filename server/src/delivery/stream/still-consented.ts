import type { Clock } from '../../lib/clock.ts'
import type { Consents } from '../../storage/consents.ts'
import type { StreamEntry } from '../../storage/event-log.ts'
import { mayReceive, needsConsent } from '../consent.ts'
import { userOfMatch } from '../envelope.ts'
import type { MayReceive } from './catch-up.ts'

/** The user whose consent an event needs now; undefined if it needs none. A private event without a user is nobody's: '' has no consent. */
const consentingUser = ({ eventType, match }: StreamEntry): string | undefined =>
  needsConsent(eventType) ? (userOfMatch(match) ?? '') : undefined

/** Returns a function that answers those of an app's events which it may still have: consent may have been revoked since they were accepted. */
export const createStillConsented =
  (consents: Consents, clock: Pick<Clock, 'now'>): MayReceive =>
  async (appId, entries) => {
    const userIds = [...new Set(entries.flatMap((entry) => consentingUser(entry) || []))]
    const found = userIds.length === 0 ? [] : await consents.of(appId, userIds)
    const consentOf = new Map(userIds.map((userId, place) => [userId, found[place]!]))
    const isConsented = (entry: StreamEntry) => {
      const userId = consentingUser(entry)
      return userId === undefined || mayReceive(entry.eventType, consentOf.get(userId) ?? null, clock.now())
    }
    return entries.filter(isConsented)
  }
