import { appBearer } from '../../access/app-bearer.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { object, text } from '../../api/declare/words.ts'
import { LONGEST_CALLBACK_URL } from './callback-url.ts'
import { type RegisterServices, registerWebhook } from './register-webhook.ts'
import { webhookConfigOf, webhookConfigSchema } from './webhook-config.ts'

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
  problems: ['UrlValidationFailed', 'DuplicateUrlFailed', 'WebhookLimitExceeded', 'CrcValidationFailed'],
  async handle({ params: { url }, caller: { app } }, services: RegisterServices) {
    return { data: webhookConfigOf(await registerWebhook(app, url, services)) }
  },
})
