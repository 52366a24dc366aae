import { webhookProblem } from '../../api/declare/problem.ts'
import type { App } from '../../storage/apps.ts'
import type { Webhook, WebhookStore } from '../../storage/webhooks.ts'

export const webhookIdInvalid = () =>
  webhookProblem('WebhookIdInvalid', 'no webhook of this app has this id; GET /2/webhooks lists those it has')

/** The app's webhook of this id. An unknown id, another app's and a malformed one are refused alike, with `WebhookIdInvalid` (§7). */
export async function ownWebhook(webhooks: WebhookStore, app: App, id: string): Promise<Webhook> {
  const webhook = /^[0-9]{1,19}$/.test(id) ? await webhooks.byId(id) : undefined
  if (!webhook || webhook.appId !== app.id) throw webhookIdInvalid()
  return webhook
}
