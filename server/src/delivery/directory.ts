import { createSecretKey, type KeyObject } from 'node:crypto'
import type { Clock } from '../lib/clock.ts'
import type { AppStore } from '../storage/apps.ts'
import type { Change, Changes } from '../storage/changes.ts'
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
  /** In memory when it is known; `missing` when there is no such webhook. */
  known(webhookId: string): Destination | 'missing' | undefined
  /** Reads it from the database and keeps it until it changes. */
  load(webhookId: string): Promise<Destination | 'missing'>
}

const MOST_KEPT = 20_000

/** Webhooks with their apps' signing keys, kept in memory until somebody changes one. The oldest are forgotten first. */
export function createDirectory(webhooks: WebhookStore, apps: AppStore, changes: Changes, clock: Clock): Directory {
  const kept = new Map<string, Destination | 'missing'>()
  /** Grows with every change, so that a value read before a change is not kept after it. */
  let changed = 0

  const forget = (change: Change) => {
    changed += 1
    if (change.kind === 'webhook') kept.delete(change.id)
    if (change.kind === 'everything') kept.clear()
    if (change.kind !== 'app') return
    for (const [id, destination] of kept) if (destination !== 'missing' && destination.appId === change.id) kept.delete(id)
  }
  changes.listen(forget)

  const read = async (webhookId: string): Promise<Destination | 'missing'> => {
    const webhook = await webhooks.byId(webhookId)
    const app = webhook && (await apps.byId(webhook.appId))
    if (!webhook || !app) return 'missing'
    const { secret, untilMs } = deliverySecret(app, webhook, clock.now())
    const key = createSecretKey(Buffer.from(secret))
    return { webhookId, appId: app.id, url: webhook.normalUrl, valid: webhook.valid, suspended: app.suspended, key, keyUntilMs: untilMs }
  }

  const load = async (webhookId: string) => {
    const before = changed
    const destination = await read(webhookId)
    if (before !== changed) return destination
    if (kept.size >= MOST_KEPT) kept.delete(kept.keys().next().value!)
    kept.set(webhookId, destination)
    return destination
  }

  const known = (webhookId: string) => {
    const found = kept.get(webhookId)
    return found === undefined || found === 'missing' || found.keyUntilMs > clock.now() ? found : undefined
  }

  return { known, load }
}
