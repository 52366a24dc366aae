import type { Ids } from '../../../lib/ids.ts'
import type { Storage } from '../../../storage/storage.ts'
import type { SeedKind, SeedOf, seededKinds } from './seed-document.ts'

export interface SeedServices {
  storage: Pick<Storage, 'apps' | 'users' | 'userTokens' | 'webhooks' | 'subscriptions' | 'accountMembers' | 'records' | 'runExclusively'>
  ids: Ids
  /** The webhooks of this seed that stand with another id, because one was registered anew: by the id that the seed says. */
  standIns: Map<string, string>
  now: () => number
  loopbackCallbacks: boolean
  /** What an app may use before others when its seed does not say: everything in development, nothing in production. */
  earlyAccess: string[]
}

/** One thing of a seed: what it is, and, where it stood already otherwise, in which fields. */
export interface Seeded {
  kind: (typeof seededKinds)[number]
  id: string
  fields?: string[]
}

/** A thing that was created, or that stood already: then the fields in which it differs from the seed are named. */
export interface Added {
  id: string
  differing?: string[]
  /** What was added to a thing that stood already. */
  parts?: Seeded[]
}

/** Adds a thing of a seed unless it stands already. */
export type SeedAdder<RecordType extends SeedKind> = (seed: SeedOf<RecordType>, services: SeedServices) => Promise<Added>
