import type { AppUsage, UsageCounts } from '../storage/apps.ts'
import type { Candidate } from '../storage/subscriptions.ts'

/** Reason for keeping an event for replay while its app has used up a quota. */
export const QUOTA = 'quota'

/** The apps among candidates that have a quota by month. */
const withQuota = (candidates: readonly Candidate[]): string[] => [
  ...new Set(candidates.filter(({ quotas }) => quotas !== null).map(({ subscription }) => subscription.appId)),
]

export const isUsedUp = (quotas: NonNullable<Candidate['quotas']>, { events, deliveries }: UsageCounts): boolean =>
  (quotas.events !== null && events >= quotas.events) || (quotas.deliveries !== null && deliveries >= quotas.deliveries)

export interface Quotas {
  /** Begins the next event. */
  nextEvent(): void
  /** Whether a delivery of the event may be sent to its app: then it is counted. */
  admit(candidate: Candidate): boolean
}

const UNLIMITED: Quotas = { nextEvent() {}, admit: () => true }

/**
 * What the quotas of apps leave of a batch. The counts are those of its beginning: what other calls publish at the same moment may exceed a
 * quota.
 */
export async function createQuotas(candidates: readonly Candidate[], usage: Pick<AppUsage, 'of'>, month: () => number): Promise<Quotas> {
  const appIds = withQuota(candidates)
  if (appIds.length === 0) return UNLIMITED
  const used = await usage.of(appIds, month())
  /** The apps that the event is counted for. */
  const counted = new Set<string>()
  return {
    nextEvent: () => counted.clear(),
    admit({ quotas, subscription: { appId } }) {
      if (quotas === null) return true
      const counts = used.get(appId) ?? { events: 0, deliveries: 0 }
      const isCounted = counted.has(appId)
      // A further delivery of an event that is counted needs no event.
      if (isUsedUp({ ...quotas, events: isCounted ? null : quotas.events }, counts)) return false
      counted.add(appId)
      used.set(appId, { events: counts.events + (isCounted ? 0 : 1), deliveries: counts.deliveries + 1 })
      return true
    },
  }
}
