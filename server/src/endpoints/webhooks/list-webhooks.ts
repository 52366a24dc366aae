import { appBearer } from '../../access/app-bearer.ts'
import { endpoint } from '../../api/endpoint.ts'
import { commaList, integer, listOf, object, oneOf, optional } from '../../api/words.ts'
import type { WebhookStore } from '../../storage/webhooks.ts'
import { webhookConfig, webhookConfigFields, webhookConfigOf } from './webhook-config.ts'

const { id, url, valid, created_at } = webhookConfig
const selected = object({ id, url: optional(url), valid: optional(valid), created_at: optional(created_at) })

export const listWebhooks = endpoint({
  name: 'listWebhooks',
  route: 'GET /2/webhooks',
  section: '§4.1',
  summary: "List the app's webhooks, oldest first.",
  description: 'All four fields are shown by default; `webhook_config.fields` narrows them. The id is always there.',
  auth: appBearer,
  params: { 'webhook_config.fields': optional(commaList(oneOf(webhookConfigFields), { example: ['url', 'valid'] })) },
  answer: object({ data: listOf(selected), meta: object({ result_count: integer({ min: 0 }) }) }),
  async handle({ params, caller: { app } }, { webhooks }: { webhooks: WebhookStore }) {
    const shown = new Set<string>(['id', ...(params['webhook_config.fields'] ?? webhookConfigFields)])
    const data = (await webhooks.list(app.id)).map((webhook) => {
      const { id, ...rest } = webhookConfigOf(webhook)
      return { id, ...(Object.fromEntries(Object.entries(rest).filter(([name]) => shown.has(name))) as Partial<typeof rest>) }
    })
    return { data, meta: { result_count: data.length } }
  },
})
