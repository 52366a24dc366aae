import { createSecretKey, type KeyObject } from 'node:crypto'
import type { Logger } from 'pino'
import type { AppStore } from '../storage/apps.ts'
import type { Change, Changes } from '../storage/changes.ts'
import { isUnavailable } from '../storage/unavailable.ts'
import type { WebhookStore } from '../storage/webhooks.ts'

/** What a delivery needs to know of the webhook it goes to. */
export interface Destination {
  webhookId: string
  appId: string
  url: string
  /** False while the webhook is invalid or its app suspended: nothing is sent. */
  valid: boolean
  key: KeyObject
}

/** There is no such webhook, or its row or its app's cannot be read. */
export type Nowhere = 'missing' | 'unreadable'

export interface Directory {
  /** In memory when it is known. */
  known(webhookId: string): Destination | Nowhere | undefined
  /** Reads it from the database and keeps it until it changes. */
  load(webhookId: string): Promise<Destination | Nowhere>
}

const MOST_KEPT = 20_000

/** Webhooks with their apps' signing keys, kept in memory until somebody changes one. The oldest are forgotten first. */
export function createDirectory(webhooks: WebhookStore, apps: AppStore, changes: Changes, logger: Logger): Directory {
  const kept = new Map<string, Destination | Nowhere>()
  /** Grows with every change, so that a value read before a change is not kept after it. */
  let changed = 0

  const forget = (change: Change) => {
    changed += 1
    if (change.kind === 'webhook') kept.delete(change.id)
    if (change.kind === 'everything') kept.clear()
    if (change.kind !== 'app') return
    for (const [id, destination] of kept) if (typeof destination === 'string' || destination.appId === change.id) kept.delete(id)
  }
  changes.listen(forget)

  const read = async (webhookId: string): Promise<Destination | Nowhere> => {
    const webhook = await webhooks.byId(webhookId)
    const app = webhook && (await apps.byId(webhook.appId))
    if (!webhook || !app) return 'missing'
    if (!URL.canParse(webhook.normalUrl)) throw new Error('its URL is none')
    const key = createSecretKey(Buffer.from(app.consumerSecret))
    return { webhookId, appId: app.id, url: webhook.normalUrl, valid: webhook.valid && !app.suspended, key }
  }

  const unreadable = (webhookId: string, error: unknown): Nowhere => {
    if (isUnavailable(error)) throw error
    logger.error({ err: error, webhook_id: webhookId }, 'a webhook cannot be read: nothing is sent to it')
    return 'unreadable'
  }

  const load = async (webhookId: string) => {
    const before = changed
    const destination = await read(webhookId).catch((error) => unreadable(webhookId, error))
    if (before !== changed) return destination
    if (kept.size >= MOST_KEPT) kept.delete(kept.keys().next().value!)
    kept.set(webhookId, destination)
    return destination
  }

  return { known: (webhookId) => kept.get(webhookId), load }
}
