import { createSecretKey, type KeyObject } from 'node:crypto'
import type { Logger } from 'pino'
import { createCache } from '../lib/cache.ts'
import type { Clock } from '../lib/clock.ts'
import type { AppStore } from '../storage/apps.ts'
import type { Changes } from '../storage/changes.ts'
import { isUnavailable } from '../storage/unavailable.ts'
import type { WebhookStore } from '../storage/webhooks.ts'
import { SendFailure } from './send/outcome.ts'
import { readTarget, type Target } from './send/target.ts'
import { challengeSecrets, deliverySecret } from './signing-secrets.ts'

/** What a delivery needs of its webhook and app. */
export interface Destination {
  webhookId: string
  appId: string
  target: Target
  /** False while the webhook is invalid: it receives nothing (§2.1). */
  valid: boolean
  /** True while its app is suspended: it receives nothing. */
  suspended: boolean
  /** The signing key, valid until `keyUntilMs`. */
  key: KeyObject
  keyUntilMs: number
  /** The secrets of its app, which a response may repeat. */
  secrets: readonly Buffer[]
}

/** `missing`: there is no such webhook. `unreadable`: its row or its app's cannot be decrypted or parsed. */
export type NoDestination = 'missing' | 'unreadable'

export const isNoDestination = (found: Destination | NoDestination): found is NoDestination => typeof found === 'string'

export interface Destinations {
  /** Returns the cached destination, if any. */
  get(webhookId: string): Destination | NoDestination | undefined
  /** Reads it from the database. Rejects with `Unavailable` if that is unavailable. */
  load(webhookId: string): Promise<Destination | NoDestination>
}

export interface DestinationsOptions {
  webhooks: WebhookStore
  apps: AppStore
  changes: Changes
  clock: Clock
  logger: Logger
}

const MAX_CACHED = 20_000

const isCacheable = (found: Destination | NoDestination) =>
  isNoDestination(found) ? found === 'unreadable' : found.valid && !found.suspended

/**
 * Caches webhooks with their apps' signing keys (LRU); changes invalidate them. Only destinations that receive events are cached. That
 * nothing may be sent is always read from the database: otherwise a webhook that another process has just enabled would lose events.
 */
export function createDestinations({ webhooks, apps, changes, clock, logger }: DestinationsOptions): Destinations {
  const cache = createCache<Destination | NoDestination>(MAX_CACHED, isCacheable)

  changes.listen((change) => {
    if (change.kind === 'webhook') cache.invalidate(change.id)
    if (change.kind === 'everything') cache.invalidateWhere()
    if (change.kind === 'app') cache.invalidateWhere((found) => isNoDestination(found) || found.appId === change.id)
  })

  const read = async (webhookId: string): Promise<Destination | NoDestination> => {
    const webhook = await webhooks.byId(webhookId)
    const app = webhook && (await apps.byId(webhook.appId))
    if (!webhook || !app) return 'missing'
    const { secret, untilMs } = deliverySecret(app, webhook, clock.now())
    const key = createSecretKey(Buffer.from(secret))
    const target = readTarget(webhook.normalUrl)
    if (target instanceof SendFailure) throw target
    const secrets = challengeSecrets(app, clock.now()).map((text) => Buffer.from(text))
    return { webhookId, appId: app.id, target, valid: webhook.valid, suspended: app.suspended, key, keyUntilMs: untilMs, secrets }
  }

  const unreadable = (webhookId: string, error: unknown): NoDestination => {
    if (isUnavailable(error)) throw error
    logger.error({ err: error, webhook_id: webhookId }, 'cannot read a webhook from the database: its deliveries are paused')
    return 'unreadable'
  }

  return {
    get(webhookId) {
      const found = cache.get(webhookId)
      return found === undefined || isNoDestination(found) || found.keyUntilMs > clock.now() ? found : undefined
    },
    load: (webhookId) => cache.load(webhookId, () => read(webhookId).catch((error) => unreadable(webhookId, error))),
  }
}
