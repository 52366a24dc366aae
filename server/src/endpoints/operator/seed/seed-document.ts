import {
  anyObject,
  anything,
  boolean,
  id,
  listOf,
  object,
  oneOf,
  optional,
  optionals,
  type Static,
  text,
  timestamp,
} from '../../../api/words.ts'
import { acceptedEventTypes } from '../../../delivery/event-types.ts'
import { appSettings } from '../apps/app-settings.ts'

const app = object({
  id: optional(id({ example: '1' })),
  consumer_key: optional(text({ max: 200 })),
  consumer_secret: optional(text({ max: 200 })),
  ...optionals(appSettings),
  name: appSettings.name,
})

const user = object({
  id: optional(id({ example: '101' })),
  username: text({ max: 15 }),
  name: optional(text({ max: 50 })),
  password: optional(text({ max: 500, description: 'In the clear, or its argon2id hash in PHC form.' })),
})

const token = object({
  consumer_key: text(),
  user_id: id({ example: '101' }),
  oauth_token: text({ max: 200 }),
  oauth_token_secret: text({ max: 200 }),
  permissions: optional(appSettings.permissions),
})

const webhook = object({
  id: optional(id()),
  consumer_key: text(),
  url: text({ max: 200 }),
  valid: optional(boolean()),
  created_at: optional(timestamp()),
})

const subscription = object({
  subscription_id: optional(id()),
  consumer_key: text(),
  event_type: oneOf(acceptedEventTypes),
  filter: anyObject(),
  tag: optional(text({ max: 200 })),
  webhook_id: optional(id()),
})

const later = optional(listOf(anything(), { description: 'Not in this version: left out, and said so.' }))

/** Kinds that a seed may name and this version does not have. */
export const kindsToCome = { posts: later, media: later, accounts: later }

/** The kinds that a seed may hold, with the fields of their read shape. */
export const seedKinds = {
  apps: optional(listOf(app)),
  users: optional(listOf(user)),
  tokens: optional(listOf(token)),
  webhooks: optional(listOf(webhook)),
  subscriptions: optional(listOf(subscription)),
  ...kindsToCome,
}

export const seedSchema = object(seedKinds)
export type SeedDocument = Static<typeof seedSchema>
/** A kind that a seed can load. */
export type SeedKind = Exclude<keyof SeedDocument, keyof typeof kindsToCome>
export type SeedOf<Kind extends SeedKind> = NonNullable<SeedDocument[Kind]>[number]

/** In the order in which they are loaded. */
export const loadedKinds = Object.keys(seedKinds).filter((kind) => !(kind in kindsToCome)) as SeedKind[]
