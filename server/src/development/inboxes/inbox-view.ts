import { Problem } from '../../api/declare/problem.ts'
import { id, integer, iso, matching, object, text, timestamp } from '../../api/declare/words.ts'
import { INBOX_ID_LENGTH, type Inbox, type Inboxes } from './inboxes.ts'
import { MAX_EVENTS } from './kept-events.ts'

export const inboxId = () =>
  matching(`^[A-Za-z0-9]{${INBOX_ID_LENGTH}}$`, {
    example: 'Qm3vR8sT1uW5xY7zA2bC4d',
    mustBe: `the id of an inbox, ${INBOX_ID_LENGTH} letters and digits`,
  })

export const inboxMembers = {
  id: inboxId(),
  url: text({ description: 'The callback URL, on loopback.' }),
  app_id: id(),
  webhook_id: id(),
  created_at: timestamp(),
  received: integer({ min: 0, description: 'How many events came, with duplicates and those with a wrong signature.' }),
  dropped: integer({ min: 0, description: `How many of them are no longer kept: the oldest beyond ${MAX_EVENTS}, or beyond 8 MB.` }),
}

export const inboxView = ({ id, url, appId, webhookId, createdAtMs, events }: Inbox) => ({
  id,
  url,
  app_id: appId,
  webhook_id: webhookId ?? '',
  created_at: iso(createdAtMs),
  ...events.counts(),
})

export const inboxSchema = object(inboxMembers)

/** The inbox of an id, with its webhook. Throws `not-found`. */
export function findInbox(inboxes: Inboxes, id: string): Inbox & { webhookId: string } {
  const inbox = inboxes.get(id)
  if (inbox?.webhookId === undefined)
    throw new Problem('not-found', {
      detail: `There is no inbox ${id}: it was deleted, with its webhook or its app, or the server was reset or restarted. POST /operator/inboxes makes one.`,
    })
  return inbox as Inbox & { webhookId: string }
}
