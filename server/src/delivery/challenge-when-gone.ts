import type { Logger } from 'pino'
import { logUnlessUnavailable } from '../storage/unavailable.ts'
import type { WebhookStore } from '../storage/webhooks.ts'
import type { Revalidate } from './revalidate.ts'

/** Handles a callback that answered 410 Gone: its webhook is challenged at once, and becomes invalid if that fails. One challenge at a time for each webhook. */
export function createOnGone(webhooks: WebhookStore, revalidate: Revalidate, logger: Logger): (webhookId: string) => void {
  const running = new Set<string>()

  const challenge = async (webhookId: string) => {
    const webhook = await webhooks.byId(webhookId)
    if (webhook?.valid) await revalidate(webhookId, 'automatic')
  }

  return (webhookId) => {
    if (running.has(webhookId)) return
    running.add(webhookId)
    challenge(webhookId)
      .catch((error) => logUnlessUnavailable(logger, error, 'could not record a challenge', { webhook_id: webhookId }))
      .finally(() => running.delete(webhookId))
  }
}
