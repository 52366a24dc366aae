import { webhookProblem } from '../../api/declare/problem.ts'
import { nextChallengeAtMs } from '../../delivery/challenge-slot.ts'
import type { Ids } from '../../lib/ids.ts'
import type { App } from '../../storage/apps.ts'
import type { Webhook, WebhookStore } from '../../storage/webhooks.ts'
import { assertChallenge, type ChallengeServices } from './assert-challenge.ts'
import { assertRowQuota, type RowQuotaServices, rowQuotaUsedUp } from './assert-quota.ts'
import { checkCallbackUrl } from './callback-url.ts'

export interface RegisterServices extends ChallengeServices, RowQuotaServices {
  webhooks: WebhookStore
  ids: Ids
  loopbackCallbacks: boolean
}

/** Names the webhook that stands, which is the app's own. */
async function duplicate(app: App, url: string, normalUrl: string, webhooks: WebhookStore) {
  const standing = await webhooks.byUrl(app.id, normalUrl)
  return webhookProblem('DuplicateUrlFailed', `this app already registered ${url}${standing ? ` as webhook ${standing.id}` : ''}`)
}

const overLimit = (limit: number) =>
  webhookProblem(
    'WebhookLimitExceeded',
    `this app may have ${limit} webhooks and has them; delete one with DELETE /2/webhooks/<webhook_id>`,
  )

/**
 * Registers a callback URL of an app as a webhook, once its challenge has passed (§4.1).
 * @throws `UrlValidationFailed`, `DuplicateUrlFailed`, `WebhookLimitExceeded`, `usage-capped`, `CrcValidationFailed`, checked in this order.
 */
export async function registerWebhook(app: App, url: string, services: RegisterServices): Promise<Webhook> {
  const { webhooks, ids, now, loopbackCallbacks } = services
  const normalUrl = checkCallbackUrl(url, loopbackCallbacks)
  if (await webhooks.byUrl(app.id, normalUrl)) throw await duplicate(app, url, normalUrl, webhooks)
  if ((await webhooks.count(app.id)) >= app.webhookLimit) throw overLimit(app.webhookLimit)
  await assertRowQuota(app, services)
  const provenSecretVersion = await assertChallenge({ refused: 'registration', app, url: normalUrl }, services)
  const id = ids.next()
  const webhook = {
    id,
    appId: app.id,
    url,
    normalUrl,
    valid: true,
    createdAtMs: now(),
    nextChallengeAtMs: nextChallengeAtMs(id, now()),
    provenSecretVersion,
    lastChallenge: { atMs: now(), failure: null },
  }
  const registered = await webhooks.register(webhook, app.webhookLimit, app.rowQuota)
  if (registered === 'duplicate') throw await duplicate(app, url, normalUrl, webhooks)
  if (registered === 'limit') throw overLimit(app.webhookLimit)
  if (registered === 'row-quota') throw rowQuotaUsedUp(app)
  return webhook
}
