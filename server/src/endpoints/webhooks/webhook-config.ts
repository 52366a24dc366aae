import { boolean, id, iso, object, text, timestamp } from '../../api/declare/words.ts'
import type { Webhook } from '../../storage/webhooks.ts'

/** A webhook config as every answer shows it (§2.1). */
export const webhookConfig = {
  id: id(),
  url: text({ example: 'https://example.com/webhook' }),
  valid: boolean({ description: 'False after a failed challenge; an invalid webhook receives no events.' }),
  created_at: timestamp(),
}

export const webhookConfigFields = ['created_at', 'id', 'url', 'valid'] as const

export const webhookConfigSchema = object(webhookConfig)

export const webhookConfigOf = ({ id, url, valid, createdAtMs }: Webhook) => ({ id, url, valid, created_at: iso(createdAtMs) })
