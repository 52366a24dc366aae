import type { Figure } from './figure.ts'
import { acceptsHundredARequest } from './figures/accepts-hundred-a-request.ts'
import { acceptsOneARequest } from './figures/accepts-one-a-request.ts'
import { deliveriesOver1000Webhooks } from './figures/deliveries-over-1000-webhooks.ts'
import { deliveriesOverOneWebhook } from './figures/deliveries-over-one-webhook.ts'
import { malformed } from './figures/malformed-requests.ts'
import { readyAfterStart } from './figures/ready-after-start.ts'
import { residentMemory } from './figures/resident-memory.ts'

/** Every figure there is, in the order of the table. */
export const figures: readonly Figure[] = [
  deliveriesOver1000Webhooks,
  deliveriesOverOneWebhook,
  acceptsOneARequest,
  acceptsHundredARequest,
  readyAfterStart,
  residentMemory,
  malformed,
]
