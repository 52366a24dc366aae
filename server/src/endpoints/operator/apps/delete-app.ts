import { operator } from '../../../access/operator.ts'
import { endpoint } from '../../../api/declare/endpoint.ts'
import { Problem } from '../../../api/declare/problem.ts'
import { boolean, id, object } from '../../../api/declare/words.ts'
import type { AppStore } from '../../../storage/apps.ts'
import type { EventLog } from '../../../storage/event-log.ts'

export const deleteApp = endpoint({
  name: 'deleteApp',
  route: 'DELETE /operator/apps/:app_id',
  section: '§5',
  summary: 'Delete an app.',
  description:
    'Its webhooks, subscriptions, replay jobs and all its tokens are deleted too; its retries and pending deliveries are cancelled. Every process refuses its requests from the next one on. A POST in flight may finish.',
  auth: operator,
  params: { app_id: id({ example: '9' }) },
  answer: object({ data: object({ deleted: boolean() }) }),
  problems: ['not-found'],
  async handle({ params: { app_id } }, { apps, eventLog, now }: { apps: AppStore; eventLog: EventLog; now: () => number }) {
    const webhooks = await apps.remove(app_id)
    if (!webhooks) throw new Problem('not-found', { detail: `There is no app ${app_id}.` })
    for (const webhookId of webhooks) await eventLog.cancel(webhookId, now(), 'webhook deleted')
    return { data: { deleted: true } }
  },
})
