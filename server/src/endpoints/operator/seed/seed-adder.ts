import { invalidRequest, type Problem } from '../../../api/declare/problem.ts'
import type { AnyResource } from '../../../api/records/resource.ts'
import { writeExactJson } from '../../../lib/numbers.ts'
import type { Storage } from '../../../storage/storage.ts'
import type { NewAppServices } from '../apps/new-app.ts'
import type { SeedKind, SeedOf } from './seed-document.ts'

/** The fields of a seed that differ from the existing record; undefined ones are not compared. */
export const differences = (wanted: object, existing: object): string[] =>
  Object.entries(wanted)
    .filter(([, value]) => value !== undefined)
    .filter(([name, value]) => writeExactJson(value) !== writeExactJson((existing as Record<string, unknown>)[name]))
    .map(([name]) => name)

/** 400 `invalid-request`: a field of a seed has a value that cannot be loaded; `what` follows the field and the value in the message. */
export const invalidSeed = (kind: string, field: string, value: string, what: string): Problem =>
  invalidRequest([
    { message: `$.${kind}: ${[field, value, what].filter(Boolean).join(' ')}`, parameters: { [`${kind}.${field}`]: [value] } },
  ])

/** 400 `invalid-request`: an id of a seed belongs to something else already. */
export const takenId = (kind: string, field: string, id: string): Problem =>
  invalidRequest([
    { message: `$.${kind}.${field}: the id ${id} is already in use by another record`, parameters: { [`${kind}.${field}`]: [id] } },
  ])

export interface SeedServices extends NewAppServices {
  storage: Pick<
    Storage,
    | 'apps'
    | 'users'
    | 'userTokens'
    | 'webhooks'
    | 'subscriptions'
    | 'accountMembers'
    | 'records'
    | 'content'
    | 'catalogs'
    | 'runExclusively'
    | 'metadata'
  >
  /** The webhooks of this seed that exist with another id, because one was registered again: by the id in the seed. */
  standIns: Map<string, string>
  loopbackCallbacks: boolean
  /** Refuses apps with a key or secret that is short or a placeholder, and users with a short password. */
  refusesWeakSecrets: boolean
  /** Whether the records of accounts are held against their rules. */
  isJudged: boolean
  /** The resources of accounts, each after its parent. */
  accountResources: readonly AnyResource[]
}

/** One record of a seed, and the fields in which it differs where it existed already. */
export interface Seeded {
  kind: string
  id: string
  fields?: string[]
}

/** A record that was created; or one that existed already, with the fields in which it differs from the seed. */
export interface Added {
  id: string
  differing?: string[]
  /** What was added to a record that existed already. */
  children?: Seeded[]
}

/** Adds a record of a seed unless it exists already. */
export type SeedAdder<Kind extends SeedKind> = (seed: SeedOf<Kind>, services: SeedServices) => Promise<Added>
