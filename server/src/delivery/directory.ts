import { createSecretKey, type KeyObject } from 'node:crypto'
import type { Clock } from '../lib/clock.ts'
import { createKept } from '../lib/kept.ts'
import type { AppStore } from '../storage/apps.ts'
import type { Changes } from '../storage/changes.ts'
import type { WebhookStore } from '../storage/webhooks.ts'
import { deliverySecret } from './app-secrets.ts'

/** What a delivery needs to know of the webhook it goes to. */
export interface Destination {
  webhookId: string
  appId: string
  url: string
  /** False while the webhook is invalid: it gets nothing but replays. */
  valid: boolean
  /** True while its app is suspended: it gets nothing at all. */
  suspended: boolean
  /** What its events are signed with until `keyUntilMs`. */
  key: KeyObject
  keyUntilMs: number
}

export interface Directory {
  /** What is in memory: valid as far as this process has heard. */
  known(webhookId: string): Destination | undefined
  /** Reads it from the database; `missing` when there is no such webhook. */
  load(webhookId: string): Promise<Destination | 'missing'>
}

const MOST_KEPT = 20_000

/**
 * Webhooks with their apps' signing keys, kept in memory until somebody changes one. The oldest are forgotten first. Only those
 * that get events are kept: that nothing is to be sent is for the database alone to say, or a webhook that another process has
 * just re-enabled would lose events.
 */
export function createDirectory(webhooks: WebhookStore, apps: AppStore, changes: Changes, clock: Clock): Directory {
  const kept = createKept<Destination | 'missing'>(MOST_KEPT, (found) => found !== 'missing' && found.valid && !found.suspended)

  changes.listen((change) => {
    if (change.kind === 'webhook') kept.forget(change.id)
    if (change.kind === 'everything') kept.forgetWhere()
    if (change.kind === 'app') kept.forgetWhere((found) => found !== 'missing' && found.appId === change.id)
  })

  const read = async (webhookId: string): Promise<Destination | 'missing'> => {
    const webhook = await webhooks.byId(webhookId)
    const app = webhook && (await apps.byId(webhook.appId))
    if (!webhook || !app) return 'missing'
    const { secret, untilMs } = deliverySecret(app, webhook, clock.now())
    const key = createSecretKey(Buffer.from(secret))
    return { webhookId, appId: app.id, url: webhook.normalUrl, valid: webhook.valid, suspended: app.suspended, key, keyUntilMs: untilMs }
  }

  return {
    known(webhookId) {
      const found = kept.known(webhookId)
      return found !== undefined && found !== 'missing' && found.keyUntilMs > clock.now() ? found : undefined
    },
    load: (webhookId) => kept.load(webhookId, () => read(webhookId)),
  }
}
