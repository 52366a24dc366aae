import { appBearer } from '../../access/app-bearer.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { webhookProblem } from '../../api/declare/problem.ts'
import { object, text } from '../../api/declare/words.ts'
import { nextChallengeAtMs } from '../../delivery/challenge-slot.ts'
import type { Ids } from '../../lib/ids.ts'
import type { WebhookStore } from '../../storage/webhooks.ts'
import { assertChallenge, type ChallengeServices } from './assert-challenge.ts'
import { checkCallbackUrl, LONGEST_CALLBACK_URL } from './callback-url.ts'
import { webhookConfigOf, webhookConfigSchema } from './webhook-config.ts'

interface Services extends ChallengeServices {
  webhooks: WebhookStore
  ids: Ids
  loopbackCallbacks: boolean
}

const duplicate = (url: string) => webhookProblem('DuplicateUrlFailed', `this app already registered ${url}`)

const overLimit = (limit: number) =>
  webhookProblem(
    'WebhookLimitExceeded',
    `this app may have ${limit} webhooks and has them; delete one with DELETE /2/webhooks/<webhook_id>`,
  )

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
  async handle({ params: { url }, caller: { app } }, services: Services) {
    const { webhooks, ids, now, loopbackCallbacks } = services
    const normalUrl = checkCallbackUrl(url, loopbackCallbacks)
    if (await webhooks.hasUrl(app.id, normalUrl)) throw duplicate(url)
    if ((await webhooks.count(app.id)) >= app.webhookLimit) throw overLimit(app.webhookLimit)
    const provenSecretVersion = await assertChallenge({ refused: 'registration', app, url: normalUrl }, services)
    const id = ids.next()
    const webhook = {
      ...{ id, appId: app.id, url, normalUrl, valid: true, createdAtMs: now() },
      nextChallengeAtMs: nextChallengeAtMs(id, now()),
      provenSecretVersion,
      lastChallenge: { atMs: now(), failure: null },
    }
    const registered = await webhooks.register(webhook, app.webhookLimit)
    if (registered === 'duplicate') throw duplicate(url)
    if (registered === 'limit') throw overLimit(app.webhookLimit)
    return { data: webhookConfigOf(webhook) }
  },
})
