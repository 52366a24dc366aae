import type { TArray, TOptional, TUnsafe } from 'typebox'
import { adsId, adsTime } from '../../../api/declare/ads-words.ts'
import {
  anyObject,
  boolean,
  commaList,
  id,
  listOf,
  object,
  oneOf,
  optional,
  optionals,
  type ParamsOf,
  type Static,
  text,
  timestamp,
} from '../../../api/declare/words.ts'
import type { AnyResource } from '../../../api/records/resource.ts'
import { extraPermissions, roles } from '../../../storage/account-members.ts'
import { catalogName } from '../../ads/catalogs/own-catalog.ts'
import { sentProduct } from '../../ads/catalogs/rules/product-schema.ts'
import { setParams } from '../../ads/catalogs/sets/set-view.ts'
import { Account } from '../../ads/resources/account.ts'
import { featureKeys } from '../../ads/resources/feature-keys.ts'
import { accountResources } from '../../ads/resources/index.ts'
import { eventTypeName } from '../../events/event-type-name.ts'
import { username } from '../../users/username.ts'
import { clientId, consumerKey } from '../apps/app-credentials.ts'
import { appSettings } from '../apps/app-settings.ts'
import { seededPassword } from '../users/new-password.ts'
import { anyTimesIn } from './any-times.ts'
import { type ContentSeed, objectKinds, profileMembers, relationKinds, repostWord } from './content-words.ts'

const app = object({
  id: optional(id({ example: '1' })),
  consumer_key: optional(consumerKey()),
  consumer_secret: optional(text({ max: 200, secret: true })),
  oauth2_client_id: optional(clientId()),
  oauth2_client_secret: optional(text({ max: 200, secret: true })),
  ...optionals(appSettings),
  name: appSettings.name,
})

/** What sign-in needs of a user. */
const userAccount = {
  id: optional(id({ example: '101' })),
  username: username({ example: 'ada' }),
  name: optional(text({ max: 50 })),
  password: optional(seededPassword()),
  disabled: optional(boolean({ description: 'True for a user who cannot sign in and whose access tokens are refused.' })),
}

/** A user with the profile that answers show. */
export type UserSeed = ParamsOf<typeof userAccount> & ContentSeed

const user = object({ ...profileMembers, ...userAccount }) as unknown as TUnsafe<UserSeed>

const token = object({
  consumer_key: text(),
  user_id: id({ example: '101' }),
  oauth_token: text({ max: 200, secret: true }),
  oauth_token_secret: text({ max: 200, secret: true }),
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
  event_type: eventTypeName(),
  filter: anyObject(),
  tag: optional(text({ max: 200 })),
  webhook_id: optional(id()),
})

/** The records of a resource in an account of a seed: the fields of its answers, each of them optional. */
const seededAs = ({ schema }: AnyResource) => optional(listOf(object(optionals(schema.properties))))

/** Objects whose members are as declared, without a type of each. */
type Objects<Kinds> = { [Kind in keyof Kinds]: TOptional<TArray<TUnsafe<ContentSeed>>> }

const member = object({
  user_id: id({ example: '101' }),
  role: oneOf(roles),
  permissions: optional(commaList(oneOf(extraPermissions), { min: 0 })),
})

const account = object({
  ...optionals(Account.schema.properties as typeof Account.fields),
  id: optional(adsId()),
  created_at: optional(adsTime()),
  updated_at: optional(adsTime()),
  deleted: optional(boolean()),
  name: optional(Account.fields.name),
  sandbox: optional(boolean({ description: 'True for an account on the sandbox host.' })),
  members: optional(listOf(member)),
  features: optional(commaList(oneOf(featureKeys), { min: 0 })),
  ...Object.fromEntries(accountResources.map((resource) => [resource.table, seededAs(resource)])),
})

const productSet = object({
  id: optional(id()),
  name: setParams.name,
  description: optional(setParams.description),
  type: setParams.type,
  filters: optional(setParams.filters),
  product_ids: optional(listOf(text(), { description: 'The ids of the products of a MANUAL set.' })),
})

const productCatalog = object({
  id: optional(id()),
  user_id: id({ example: '101' }),
  name: catalogName,
  sandbox: optional(boolean({ description: 'True for a catalog on the sandbox host.' })),
  products: optional(listOf(sentProduct)),
  product_sets: optional(listOf(productSet)),
})

/** The members of a seed, with the fields of answers. */
export const seedKinds = anyTimesIn({
  apps: optional(listOf(app)),
  users: optional(listOf(user)),
  tokens: optional(listOf(token)),
  webhooks: optional(listOf(webhook)),
  subscriptions: optional(listOf(subscription)),
  accounts: optional(listOf(account)),
  product_catalogs: optional(listOf(productCatalog)),
  ...(objectKinds as unknown as Objects<typeof objectKinds>),
  reposts: optional(listOf(repostWord)),
  ...relationKinds,
})

export const seedSchema = object(seedKinds)
export type SeedDocument = Static<typeof seedSchema>
/** A member of a seed. */
export type SeedKind = keyof SeedDocument
export type SeedOf<Kind extends SeedKind> = NonNullable<SeedDocument[Kind]>[number]

/** What a report names: records of an account, and relations of a list, where they were added to one that existed already. */
export const seededKinds = [
  ...(Object.keys(seedKinds) as SeedKind[]),
  ...['members', 'list_members', 'list_followers', 'list_pins', 'space_buyers', 'products', 'product_sets'],
  ...accountResources.map(({ table }) => table),
]
