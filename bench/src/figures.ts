import type { Figure } from './figure.ts'
import { acceptsHundredARequest, acceptsOneARequest } from './figures/accepts.ts'
import { deliveriesOver1000Webhooks, deliveriesOverOneWebhook } from './figures/deliveries.ts'
import { idle } from './figures/idle.ts'
import { isolation } from './figures/isolation.ts'
import { reads } from './figures/reads.ts'
import { readyAfterStart } from './figures/ready-after-start.ts'
import { residentMemory } from './figures/resident-memory.ts'
import { steady } from './figures/steady.ts'

/** Every figure there is, in the order of the table. */
export const figures: readonly Figure[] = [
  acceptsOneARequest,
  acceptsHundredARequest,
  deliveriesOver1000Webhooks,
  deliveriesOverOneWebhook,
  steady,
  isolation,
  reads,
  readyAfterStart,
  residentMemory,
  idle,
]
