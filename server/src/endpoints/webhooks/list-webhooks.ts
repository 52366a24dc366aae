import { appBearer } from '../../access/app-bearer.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { commaList, integer, listOf, object, oneOf, optional } from '../../api/declare/words.ts'
import type { WebhookStore } from '../../storage/webhooks.ts'
import { webhookConfig, webhookConfigFields, webhookConfigOf } from './webhook-config.ts'

const { id, url, valid, created_at } = webhookConfig
const selected = object({ id, url: optional(url), valid: optional(valid), created_at: optional(created_at) })

type Config = ReturnType<typeof webhookConfigOf>

function narrowed({ id, ...rest }: Config, fields: readonly string[]) {
  const chosen = Object.entries(rest).filter(([name]) => fields.includes(name))
  return { id, ...(Object.fromEntries(chosen) as Partial<typeof rest>) }
}

export const listWebhooks = endpoint({
  name: 'listWebhooks',
  route: 'GET /2/webhooks',
  section: '§4.1',
  summary: "List the app's webhooks, oldest first.",
  description: 'The response has all four fields by default; `webhook_config.fields` selects some of them. The id is always included.',
  auth: appBearer,
  rateLimit: 450,
  params: { 'webhook_config.fields': optional(commaList(oneOf(webhookConfigFields), { example: ['url', 'valid'] })) },
  answer: object({ data: listOf(selected), meta: object({ result_count: integer({ min: 0 }) }) }),
  async handle({ params, caller: { app } }, { webhooks }: { webhooks: WebhookStore }) {
    const all = (await webhooks.list(app.id)).map(webhookConfigOf)
    const fields = params['webhook_config.fields']
    return { data: fields ? all.map((config) => narrowed(config, fields)) : all, meta: { result_count: all.length } }
  },
})
