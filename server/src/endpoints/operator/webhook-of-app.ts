import { Problem } from '../../api/declare/problem.ts'
import type { App, AppStore } from '../../storage/apps.ts'
import type { Webhook, WebhookStore } from '../../storage/webhooks.ts'

export interface WebhookServices {
  webhooks: WebhookStore
  apps: AppStore
}

/** The webhook of an id with its app, for a call that sends something to it. Throws `not-found`, and `conflict` while the app is suspended. */
export async function webhookOfApp({ webhooks, apps }: WebhookServices, id: string): Promise<{ webhook: Webhook; app: App }> {
  const webhook = await webhooks.byId(id)
  const app = webhook && (await apps.byId(webhook.appId))
  if (!app) throw new Problem('not-found', { detail: `There is no webhook ${id}.` })
  if (app.suspended)
    throw new Problem('conflict', {
      detail: `The app ${app.id} of this webhook is suspended, so nothing is sent to it. Resume the app first.`,
    })
  return { webhook, app }
}
