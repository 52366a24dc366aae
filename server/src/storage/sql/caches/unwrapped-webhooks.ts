import type { WebhookStore } from '../../webhooks.ts'
import type { Wrapping } from './wrap-store.ts'

/** The methods of webhooks that no wrapper implements. */
export const unwrappedWebhooks = {
  listAll: 'reads',
  byUrl: 'reads',
  count: 'reads',
  countAll: 'reads',
  register: 'writes',
  beginChallenge: 'writes',
  decide: 'writes',
  postpone: 'writes',
  remove: 'writes',
  claimDue: 'writes',
  moveIntoHour: 'writes',
  nextDueMs: 'reads',
} as const satisfies Partial<Wrapping<WebhookStore>>
