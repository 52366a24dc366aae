import type { IdentifierKind } from '../../../../storage/memberships/packed-batch.ts'

/** A batch is not larger than this (§8). */
export const MAX_OPERATIONS = 2500
export const MAX_BATCH_BYTES = 5_000_000

/** So many hashes fit into the largest body; identifiers that are no hashes are shorter. */
export const MAX_IDENTIFIERS = 75_000

/** Nobody has more; without a bound one operation could tie a whole batch into one user. */
export const MAX_IDENTIFIERS_OF_USER = 100

/** What batches of custom audiences and of do-not-reach lists do differently. */
export interface BatchRules {
  /** The keys that a user may have. */
  kinds: readonly IdentifierKind[]
  /** Whether operations may say when a membership begins. */
  hasEffectiveAt: boolean
  /** Whether a membership may last longer than the default. */
  mayExceedDefault: boolean
  /** Whether answers repeat the operations (public practice). */
  isRepeated: boolean
}

export const batchRules = {
  customAudience: {
    kinds: ['email', 'device_id', 'handle', 'service_id', 'phone_number', 'partner_user_id'],
    hasEffectiveAt: true,
    mayExceedDefault: true,
    isRepeated: false,
  },
  doNotReachList: { kinds: ['email', 'phone_number'], hasEffectiveAt: false, mayExceedDefault: false, isRepeated: true },
} as const satisfies Record<string, BatchRules>

export type BatchKind = keyof typeof batchRules
