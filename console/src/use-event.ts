import { useEffect, useRef } from 'preact/hooks'
import { get, portal } from './api.ts'
import { at, type Json } from './exact-json.ts'
import { listen } from './feed.ts'
import { type Loaded, useLoaded } from './parts/loaded.tsx'
import { regularly } from './parts/regularly.ts'
import { createSoon } from './parts/soon.ts'
import type { LoggedEvent, Update } from './server-types.ts'

/** An event as the server tells it; what it carries has its exact numbers. */
export interface ReadEvent {
  event: LoggedEvent
  payload: Json
  includes: Json | undefined
  /** Filter and tag of each webhook. */
  filters: readonly Json[]
}

async function readEvent(uuid: string): Promise<ReadEvent> {
  const { body, exact } = await get<{ data: LoggedEvent }>(`events/${encodeURIComponent(uuid)}`)
  return {
    event: body.data,
    payload: at(exact, 'data', 'payload')!,
    includes: at(exact, 'data', 'includes'),
    filters: body.data.deliveries.map((_, place) => at(exact, 'data', 'deliveries', place, 'filter')!),
  }
}

export const useEvent = (uuid: string): Loaded<ReadEvent> => useLoaded(uuid, () => readEvent(uuid))

/** An attempt is told before it is committed. */
const COMMITTED_AFTER_MS = 400

/** The portal of an app has no feed: that tells of all apps. */
const PORTAL_READS_EVERY_MS = 5000

/** Reads something again when the feed tells of it. */
export function useFresh({ reload }: Pick<Loaded<unknown>, 'reload'>, isAbout: (update: Update) => boolean) {
  const current = useRef({ reload, isAbout })
  current.current = { reload, isAbout }
  useEffect(() => {
    if (portal.value) return regularly(() => current.current.reload(), PORTAL_READS_EVERY_MS)
    const { ask, stop } = createSoon(() => current.current.reload(), COMMITTED_AFTER_MS)
    const leave = listen({ updates: (updates) => updates.some((update) => current.current.isAbout(update)) && ask(), resync: ask })
    return () => {
      stop()
      leave()
    }
  }, [])
}
