import { webhookProblem } from '../../api/declare/problem.ts'
import { nextChallengeAtMs } from '../../delivery/challenge-slot.ts'
import type { Ids } from '../../lib/ids.ts'
import type { App } from '../../storage/apps.ts'
import type { Webhook, WebhookStore } from '../../storage/webhooks.ts'
import { assertChallenge, type ChallengeServices } from './assert-challenge.ts'
import { checkCallbackUrl } from './callback-url.ts'

export interface RegisterServices extends ChallengeServices {
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

/**
 * Registers a callback URL of an app as a webhook, once its challenge has passed (§4.1).
 * @throws `UrlValidationFailed`, `DuplicateUrlFailed`, `WebhookLimitExceeded`, `CrcValidationFailed`, checked in this order.
 */
export async function registerWebhook(app: App, url: string, services: RegisterServices): Promise<Webhook> {
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
  return webhook
}
