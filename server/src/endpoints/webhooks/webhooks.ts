import { appBearer, suspendedCaller } from '../../access/app-bearer.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { webhookProblem } from '../../api/declare/problem.ts'
import {
  boolean,
  commaList,
  id,
  integer,
  iso,
  listOf,
  object,
  oneOf,
  optional,
  optionals,
  pick,
  text,
  timestamp,
} from '../../api/declare/words.ts'
import type { Revalidate } from '../../delivery/revalidate.ts'
import type { EventLog } from '../../storage/event-log.ts'
import type { Webhook, WebhookStore } from '../../storage/webhooks.ts'
import { LONGEST_CALLBACK_URL } from './callback-url.ts'
import { ownWebhook, webhookIdInvalid } from './own-webhook.ts'
import { type RegisterServices, registerWebhook } from './register-webhook.ts'

/** A webhook config as every answer shows it (§2.1). */
const webhookConfig = {
  id: id(),
  url: text({ example: 'https://example.com/webhook' }),
  valid: boolean({ description: 'False after a failed challenge; an invalid webhook receives no events.' }),
  created_at: timestamp(),
}

const webhookConfigFields = ['created_at', 'id', 'url', 'valid'] as const

const webhookConfigSchema = object(webhookConfig)

const webhookConfigOf = ({ id, url, valid, createdAtMs }: Webhook) => ({ id, url, valid, created_at: iso(createdAtMs) })

export const createWebhook = endpoint({
  name: 'createWebhook',
  route: 'POST /2/webhooks',
  section: '§4.1',
  summary: 'Register a callback URL as a webhook.',
  description:
    'Checks run in this order: the form of the URL, duplicates, the webhook limit, the challenge (CRC: a GET to the callback, which must answer within 3 s). Nothing is created unless the challenge passes.',
  auth: appBearer,
  rateLimit: 450,
  params: {
    url: text({
      min: 0,
      example: 'https://example.com/webhook',
      description: `An https URL without a port, user info or fragment, at most ${LONGEST_CALLBACK_URL} characters.`,
    }),
  },
  answer: object({ data: webhookConfigSchema }),
  problems: ['UrlValidationFailed', 'DuplicateUrlFailed', 'WebhookLimitExceeded', 'usage-capped', 'CrcValidationFailed'],
  async handle({ params: { url }, caller: { app } }, services: RegisterServices) {
    return { data: webhookConfigOf(await registerWebhook(app, url, services)) }
  },
})

const selected = object({ id: webhookConfig.id, ...optionals(pick(webhookConfig, 'url', 'valid', 'created_at')) })

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

export const validateWebhook = endpoint({
  name: 'validateWebhook',
  route: 'PUT /2/webhooks/:webhook_id',
  section: '§4.1',
  summary: 'Re-validate a webhook: send a challenge (CRC) now. A webhook that passes becomes valid again.',
  description:
    'A failed challenge is answered with 400 `CrcValidationFailed`, and the webhook becomes invalid: it receives no events until a PUT passes.',
  auth: appBearer,
  rateLimit: 450,
  params: { webhook_id: text({ min: 0, example: '1997712707928100864' }) },
  answer: object({ data: object({ valid: boolean() }) }),
  problems: ['WebhookIdInvalid', 'CrcValidationFailed'],
  async handle({ params: { webhook_id }, caller: { app } }, { webhooks, revalidate }: { webhooks: WebhookStore; revalidate: Revalidate }) {
    const { id } = await ownWebhook(webhooks, app, webhook_id)
    const result = await revalidate(id, 'put')
    if (result === 'deleted') throw webhookIdInvalid()
    if (result === 'postponed') throw suspendedCaller(app)
    if (!result.passed) throw webhookProblem('CrcValidationFailed', result.reason)
    return { data: { valid: true } }
  },
})

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
