import type { Logger } from 'pino'
import { logUnlessUnavailable } from '../storage/unavailable.ts'
import type { WebhookStore } from '../storage/webhooks.ts'
import type { Revalidate } from './revalidate.ts'

/** A callback said that it is gone (410): it is challenged at once, and that decides. One challenge at a time for each webhook. */
export function createOnGone(webhooks: WebhookStore, revalidate: Revalidate, logger: Logger): (webhookId: string) => void {
  const underWay = new Set<string>()

  const challenge = async (webhookId: string) => {
    const webhook = await webhooks.byId(webhookId)
    if (webhook?.valid) await revalidate(webhookId, 'byItself')
  }

  return (webhookId) => {
    if (underWay.has(webhookId)) return
    underWay.add(webhookId)
    challenge(webhookId)
      .catch((error) => logUnlessUnavailable(logger, error, 'could not record a challenge', { webhook_id: webhookId }))
      .finally(() => underWay.delete(webhookId))
  }
}
