import { Problem } from '../../api/declare/problem.ts'
import { DAY_MS } from '../../lib/time.ts'
import type { Content } from '../../storage/content.ts'
import { directMessages } from '../../storage/content-tables.ts'

/** Events are shown for so long (§2.9). */
const SHOWN_MS = 30 * DAY_MS

/** Events from this time on are shown. */
export const shownFromMs = (nowMs: number): number => nowMs - SHOWN_MS

/** 404 for an event that is not shown to a user. The enumeration of `resource_type` (§7) has no value for it. */
const unknownEvent = (id: string) => new Problem('not-found', { detail: `Could not find an event with event_id: [${id}].` })

/** The conversation of an event. Throws 404 unless the event is shown to a user: one of the last 30 days, in a conversation of the user, and not deleted by the user. */
export async function assertSeen(content: Content, eventId: string, userId: string, nowMs: number): Promise<string> {
  const [row] = await content.rows(directMessages, ['conversation_id', 'created_at_ms'], [eventId])
  if (!row || (row[1] as number) < shownFromMs(nowMs)) throw unknownEvent(eventId)
  const pairs = await content.relationsOf(userId, [row[0] as string, eventId], ['dm_participant', 'dm_deleted'])
  if (pairs.length !== 1 || pairs[0]!.relation !== 'dm_participant') throw unknownEvent(eventId)
  return row[0] as string
}
