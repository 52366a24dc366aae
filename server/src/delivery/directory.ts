import { createSecretKey, type KeyObject } from 'node:crypto'
import type { AppStore } from '../storage/apps.ts'
import type { Change, Changes } from '../storage/changes.ts'
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

export interface Directory {
  /** What is in memory: valid as far as this process has heard. */
  known(webhookId: string): Destination | undefined
  /** Reads it from the database; `missing` when there is no such webhook. */
  load(webhookId: string): Promise<Destination | 'missing'>
}

const MOST_KEPT = 20_000

/**
 * Webhooks with their apps' signing keys, kept in memory until somebody changes one. The oldest are forgotten first. Only valid
 * ones are kept: that nothing is to be sent is for the database alone to say, or a webhook that another process has just
 * re-enabled would lose events.
 */
export function createDirectory(webhooks: WebhookStore, apps: AppStore, changes: Changes): Directory {
  const kept = new Map<string, Destination>()
  /** Being read. One that changes meanwhile is not in here any more: it is read again. */
  const reading = new Map<string, Promise<Destination | 'missing'>>()

  const forget = (change: Change) => {
    if (change.kind === 'replay') return
    if (change.kind === 'webhook') {
      kept.delete(change.id)
      reading.delete(change.id)
      return
    }
    reading.clear()
    if (change.kind === 'everything') kept.clear()
    else for (const [id, { appId }] of kept) if (appId === change.id) kept.delete(id)
  }
  changes.listen(forget)

  const read = async (webhookId: string): Promise<Destination | 'missing'> => {
    const webhook = await webhooks.byId(webhookId)
    const app = webhook && (await apps.byId(webhook.appId))
    if (!webhook || !app) return 'missing'
    const key = createSecretKey(Buffer.from(app.consumerSecret))
    return { webhookId, appId: app.id, url: webhook.normalUrl, valid: webhook.valid && !app.suspended, key }
  }

  const keep = (destination: Destination | 'missing') => {
    if (destination === 'missing' || !destination.valid) return
    if (kept.size >= MOST_KEPT) kept.delete(kept.keys().next().value!)
    kept.set(destination.webhookId, destination)
  }

  /** All that ask at once share a reading. */
  const load = (webhookId: string): Promise<Destination | 'missing'> => {
    const begun = reading.get(webhookId)
    if (begun) return begun
    const isCurrent = () => reading.get(webhookId) === mine
    const mine: Promise<Destination | 'missing'> = read(webhookId)
      .then((destination) => {
        if (!isCurrent()) return load(webhookId)
        keep(destination)
        return destination
      })
      .finally(() => isCurrent() && reading.delete(webhookId))
    reading.set(webhookId, mine)
    return mine
  }

  return { known: (webhookId) => kept.get(webhookId), load }
}
