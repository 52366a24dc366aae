import { appBearer } from '../../access/app-bearer.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { boolean, object, text } from '../../api/declare/words.ts'
import type { EventLog } from '../../storage/event-log.ts'
import type { WebhookStore } from '../../storage/webhooks.ts'
import { ownWebhook, webhookIdInvalid } from './own-webhook.ts'

export const deleteWebhook = endpoint({
  name: 'deleteWebhook',
  route: 'DELETE /2/webhooks/:webhook_id',
  section: '§4.1',
  summary: 'Delete a webhook.',
  description: 'Its subscriptions are deleted too; its retries and a running replay are cancelled. A POST in flight may finish.',
  auth: appBearer,
  rateLimit: 450,
  params: { webhook_id: text({ min: 0, example: '1997712707928100864' }) },
  answer: object({ data: object({ deleted: boolean() }) }),
  problems: ['WebhookIdInvalid'],
  async handle(
    { params: { webhook_id }, caller: { app } },
    { webhooks, eventLog, now }: { webhooks: WebhookStore; eventLog: EventLog; now: () => number },
  ) {
    const { id } = await ownWebhook(webhooks, app, webhook_id)
    if (!(await webhooks.remove(app.id, id))) throw webhookIdInvalid()
    await eventLog.cancel(id, now(), 'webhook deleted')
    return { data: { deleted: true } }
  },
})
