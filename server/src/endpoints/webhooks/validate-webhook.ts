import { appBearer } from '../../access/app-bearer.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { webhookProblem } from '../../api/declare/problem.ts'
import { boolean, object, text } from '../../api/declare/words.ts'
import type { Revalidate } from '../../delivery/revalidate.ts'
import type { WebhookStore } from '../../storage/webhooks.ts'
import { ownWebhook, webhookIdInvalid } from './own-webhook.ts'

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
    if (result === 'deleted' || result === 'postponed') throw webhookIdInvalid()
    if (!result.passed) throw webhookProblem('CrcValidationFailed', result.reason)
    return { data: { valid: true } }
  },
})
