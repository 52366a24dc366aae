import type { PublishListener } from '../../delivery/publish.ts'

/** An event that this process published, or that an action might have had. */
export interface Publication {
  atMs: number
  /** Null for an action whose event nobody has subscribed to, so that there is none. */
  eventUuid: string | null
  eventType: string
  userId: string
  /** The webhooks that it matched. */
  webhookIds: readonly string[]
  /** Why an action that was performed has no event for anybody who subscribed. */
  reason?: string
  /** The `event_uuid` was known, so that nothing was published. */
  repeated: boolean
}

/** What was published last. */
export interface Publications {
  published: PublishListener
  /** An action was performed, and its event is for nobody. */
  forNobody(eventType: string, userId: string, reason?: string): void
  /** Those since a moment, oldest first. */
  since(sinceMs: number): Publication[]
  clear(): void
  /** Returns a function that forgets those since. */
  remember(): () => void
}

const MAX_PUBLICATIONS = 200

/** Remembers the last events that were published, to say why an inbox got none. */
export function createPublications(now: () => number): Publications {
  let recent: Publication[] = []
  return {
    published(events, accepted) {
      const atMs = now()
      const more = events.slice(-MAX_PUBLICATIONS).map(({ eventType, userId, targets }, at): Publication => {
        const { eventUuid, repeated } = accepted[Math.max(0, events.length - MAX_PUBLICATIONS) + at]!
        return { atMs, eventUuid, eventType, userId, webhookIds: targets.map(({ webhookId }) => webhookId), repeated }
      })
      recent = [...recent, ...more].slice(-MAX_PUBLICATIONS)
    },
    forNobody(eventType, userId, reason) {
      const nothing = {
        atMs: now(),
        eventUuid: null,
        eventType,
        userId,
        webhookIds: [],
        repeated: false,
        ...(reason !== undefined && { reason }),
      }
      recent = [...recent, nothing].slice(-MAX_PUBLICATIONS)
    },
    since: (sinceMs) => recent.filter(({ atMs }) => atMs >= sinceMs),
    clear() {
      recent = []
    },
    remember() {
      const then = recent
      return () => {
        recent = then
      }
    },
  }
}
