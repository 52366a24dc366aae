import type { Figure } from './figure.ts'
import { accepts } from './figures/accepts.ts'
import { deliveries } from './figures/deliveries.ts'
import { idle } from './figures/idle.ts'
import { isolation } from './figures/isolation.ts'
import { lists } from './figures/lists.ts'
import { malformed } from './figures/malformed-requests.ts'
import { reads } from './figures/reads.ts'
import { readyAfterStart } from './figures/ready-after-start.ts'
import { residentMemory } from './figures/resident-memory.ts'
import { signIn } from './figures/sign-in.ts'
import { steady } from './figures/steady.ts'

/** Every figure there is, in the order of the table. */
export const figures: readonly Figure[] = [
  ...accepts,
  ...deliveries,
  steady,
  isolation,
  reads,
  signIn,
  lists,
  readyAfterStart,
  residentMemory,
  idle,
  malformed,
]
