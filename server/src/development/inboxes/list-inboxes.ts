import { operator } from '../../access/operator.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { integer, listOf, object } from '../../api/declare/words.ts'
import { inboxSchema, inboxView } from './inbox-view.ts'
import type { Inboxes } from './inboxes.ts'

export const listInboxes = endpoint({
  name: 'listInboxes',
  route: 'GET /operator/inboxes',
  section: '§6',
  summary: 'List the inboxes, oldest first.',
  description: 'Development only.',
  auth: operator,
  params: {},
  answer: object({ data: listOf(inboxSchema), meta: object({ result_count: integer({ min: 0 }) }) }),
  async handle(_call, { inboxes }: { inboxes: Inboxes }) {
    const registered = inboxes.list().filter(({ webhookId }) => webhookId !== undefined)
    return { data: registered.map(inboxView), meta: { result_count: registered.length } }
  },
})
