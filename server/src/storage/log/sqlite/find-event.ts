import type { DatabaseSync } from 'node:sqlite'
import type { EventRow } from '../event-row.ts'
import { sequenceOfUuid } from '../sequence-of-uuid.ts'

/** Looks up an event by its uuid. */
export function createFindEvent(db: DatabaseSync) {
  const given = db.prepare('select sequence from given_uuid where event_uuid = ?')
  const event = db.prepare('select sequence, event_uuid, event_type, user_id, content from event where sequence = ?')
  const targets = db.prepare('select webhook_id as webhookId, match from target where sequence = ? order by webhook_id')
  return (eventUuid: string): EventRow | undefined => {
    const known = given.get(eventUuid)
    const row = event.get((known?.sequence as number | undefined) ?? sequenceOfUuid(eventUuid) ?? null) as
      | Omit<EventRow, 'targets'>
      | undefined
    // A uuid of the producer hides the one that the log would have derived.
    if (!row || (!known && row.event_uuid !== null)) return undefined
    return { ...row, targets: targets.all(row.sequence).map(({ webhookId, match }) => ({ webhookId, match })) as EventRow['targets'] }
  }
}
