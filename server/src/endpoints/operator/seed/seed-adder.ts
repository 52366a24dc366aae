import type { Ids } from '../../../lib/ids.ts'
import type { Storage } from '../../../storage/storage.ts'
import type { SeedKind, SeedOf } from './seed-document.ts'

export interface SeedServices {
  storage: Pick<Storage, 'apps' | 'users' | 'userTokens' | 'webhooks' | 'subscriptions' | 'records' | 'alone'>
  ids: Ids
  now: () => number
  loopbackCallbacks: boolean
  /** What an app may use before others when its seed does not say: everything in development, nothing in production. */
  earlyAccess: string[]
}

/** A thing that was created, or that stood already: then the fields in which it differs from the seed are named. */
export interface Added {
  id: string
  differing?: string[]
}

/** Adds a thing of a seed unless it stands already. */
export type SeedAdder<Kind extends SeedKind> = (seed: SeedOf<Kind>, services: SeedServices) => Promise<Added>
