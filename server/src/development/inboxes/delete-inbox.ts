import { operator } from '../../access/operator.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { boolean, object } from '../../api/declare/words.ts'
import { findInbox, inboxId } from './inbox-view.ts'
import type { Inboxes } from './inboxes.ts'

export const deleteInbox = endpoint({
  name: 'deleteInbox',
  route: 'DELETE /operator/inboxes/:inbox_id',
  section: '§6',
  summary: 'Delete an inbox with its webhook and its subscriptions.',
  description: 'Development only.',
  auth: operator,
  params: { inbox_id: inboxId() },
  answer: object({ data: object({ deleted: boolean() }) }),
  problems: ['not-found'],
  async handle({ params: { inbox_id } }, { inboxes }: { inboxes: Inboxes }) {
    await inboxes.remove(findInbox(inboxes, inbox_id))
    return { data: { deleted: true } }
  },
})
