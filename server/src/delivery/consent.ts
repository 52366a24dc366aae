import type { Clock } from '../lib/clock.ts'
import { permits } from '../storage/apps.ts'
import type { Consents, UserConsent } from '../storage/consents.ts'
import type { Delivery } from '../storage/event-log.ts'
import type { AskedEvent, Candidate } from '../storage/subscriptions.ts'
import { userOfMatch } from './envelope.ts'
import { eventTypes } from './events/event-types.ts'

/** Why a delivery of a private event is not sent. */
export const CONSENT_REVOKED = 'consent revoked'

/** Whether events of this type are private: their user must have granted the app what their type asks for. */
export const needsConsent = (eventType: string): boolean => Boolean(eventTypes[eventType]?.consent)

/**
 * Whether an app with this consent of a user may have the user's events of this type. The access of OAuth 1.0a decides alone where there
 * is one (§5.6), otherwise a live OAuth 2.0 grant with every scope of the type.
 */
export function mayReceive(eventType: string, consent: UserConsent | null, nowMs: number): boolean {
  const needed = eventTypes[eventType]?.consent
  if (!needed) return true
  if (consent === null) return false
  if (consent.access !== null) return permits(consent.access, needed.access)
  return consent.grants.some(({ scopes, untilMs }) => untilMs > nowMs && needed.scopes.every((scope) => scopes.includes(scope)))
}

/** Events as the subscriptions that they may match are asked for. */
export const askedEvents = (events: readonly { eventType: string; userId: string }[]): AskedEvent[] =>
  events.map(({ eventType, userId }) => ({ eventType, userId, needsConsent: needsConsent(eventType) }))

/** The candidates whose app may have the events of their subscription. */
export const withConsent = (candidates: readonly Candidate[], nowMs: number): Candidate[] =>
  candidates.filter(({ subscription, consent }) => mayReceive(subscription.eventType, consent, nowMs))

/** Returns a function that says whether an app may still have the private event of a delivery. */
export const createMayStillReceive =
  (consents: Consents, clock: Clock) =>
  async ({ eventType, match }: Pick<Delivery, 'eventType' | 'match'>, appId: string): Promise<boolean> => {
    const userId = userOfMatch(match)
    if (userId === undefined) return false
    const [consent] = await consents.of(appId, [userId])
    return mayReceive(eventType, consent!, clock.now())
  }
