import type { ErrorDetail } from '../../../api/declare/problem.ts'
import { nextChallengeAtMs } from '../../../delivery/challenge-slot.ts'
import { canonicalEventType } from '../../../delivery/events/event-types.ts'
import { endOfTurn } from '../../../lib/clock.ts'
import type { GiveWay } from '../../../lib/fair-turns.ts'
import { cutText } from '../../../lib/text.ts'
import type { App } from '../../../storage/apps.ts'
import { checkFilter } from '../../activity/check-filter.ts'
import { checkCallbackUrl } from '../../webhooks/callback-url.ts'
import { assertNoErrors, weakCredentials } from '../apps/app-credentials.ts'
import { changesOf } from '../apps/app-settings.ts'
import { newApp } from '../apps/new-app.ts'
import { newClient } from '../apps/oauth2-client.ts'
import { unusablePassword, weakPassword } from '../users/new-password.ts'
import { addAccount, withIds } from './add-account.ts'
import { addCatalog } from './add-catalog.ts'
import { addContent } from './content/add-content.ts'
import { addUsers } from './content/add-users.ts'
import { checkContent } from './content/check-content.ts'
import { ContentLoad } from './content/content-load.ts'
import { seedObjects } from './content/content-objects.ts'
import { isDemoSeed } from './read-seed.ts'
import { withRecentTimes } from './recent-times.ts'
import { type Added, differences, invalidSeed, type SeedAdder, type Seeded, type SeedServices, takenId } from './seed-adder.ts'
import type { SeedDocument, SeedKind, SeedOf } from './seed-document.ts'

type Storage = Pick<SeedServices['storage'], 'apps'>

const fieldsOf = (seed: SeedOf<'apps'>) => ({
  ...changesOf(seed),
  consumerSecret: seed.consumer_secret,
  id: seed.id,
  consumerKey: seed.consumer_key,
  oauth2ClientId: seed.oauth2_client_id,
  oauth2ClientType: seed.oauth2_client_type,
  oauth2ClientSecret: seed.oauth2_client_secret,
})

/** An app from before there were OAuth 2.0 clients gets the one of its seed. */
async function withClient(seed: SeedOf<'apps'>, existing: App, { apps }: Storage): Promise<App> {
  if (existing.oauth2ClientId !== null || seed.oauth2_client_id === undefined) return existing
  return (await apps.update(existing.id, newClient(seed))) ?? existing
}

/** Throws when another app has the client id. */
async function assertClientIsFree({ oauth2_client_id }: SeedOf<'apps'>, existing: App | undefined, { apps }: Storage) {
  const owner = oauth2_client_id && (await apps.byOAuth2ClientId(oauth2_client_id))
  if (owner && owner.id !== existing?.id) throw takenId('apps', 'oauth2_client_id', oauth2_client_id)
}

const addApp: SeedAdder<'apps'> = async (seed, services) => {
  const { apps } = services.storage
  const fields = fieldsOf(seed)
  const existing = (seed.consumer_key && (await apps.byConsumerKey(seed.consumer_key))) || (seed.id && (await apps.byId(seed.id)))
  await assertClientIsFree(seed, existing || undefined, services.storage)
  if (existing) return { id: existing.id, differing: differences(fields, await withClient(seed, existing, services.storage)) }
  const app = newApp(seed, services)
  await apps.insert(app)
  return { id: app.id }
}

/** The app that a record of a seed names by its consumer key. Throws `invalid-request` when there is none. */
async function appWithKey({ storage }: SeedServices, kind: 'tokens' | 'webhooks' | 'subscriptions', consumerKey: string): Promise<App> {
  const app = await storage.apps.byConsumerKey(consumerKey)
  if (app) return app
  throw invalidSeed(kind, 'consumer_key', consumerKey, 'does not belong to any app')
}

const addWebhook: SeedAdder<'webhooks'> = async (seed, services) => {
  const { ids, now, loopbackCallbacks } = services
  const { webhooks } = services.storage
  const { url, valid = true } = seed
  const app = await appWithKey(services, 'webhooks', seed.consumer_key)
  const createdAtMs = seed.created_at === undefined ? now() : Date.parse(seed.created_at)
  const normalUrl = checkCallbackUrl(url, loopbackCallbacks)
  const named = seed.id === undefined ? undefined : await webhooks.byId(seed.id)
  const existing = named?.appId === app.id ? named : await webhooks.byUrl(app.id, normalUrl)
  if (existing && seed.id !== undefined) services.standIns.set(seed.id, existing.id)
  if (existing) return { id: existing.id, differing: differences({ id: seed.id, normalUrl, valid }, existing) }
  if (named) throw takenId('webhooks', 'id', named.id)
  const id = seed.id ?? ids.next()
  const webhook = {
    id,
    appId: app.id,
    url,
    normalUrl,
    valid,
    createdAtMs,
    nextChallengeAtMs: valid ? nextChallengeAtMs(id, now()) : null,
    provenSecretVersion: app.secretVersion,
    lastChallenge: null,
  }
  await webhooks.register(webhook, Number.POSITIVE_INFINITY)
  return { id }
}

/**
 * An access token, as if the user had signed in. Its access is the app's permission unless the seed says less. One that
 * the app has for the user meanwhile, of the same access, stays.
 */
const addToken: SeedAdder<'tokens'> = async (seed, services) => {
  const { users, userTokens } = services.storage
  const { user_id: userId, oauth_token: token, oauth_token_secret: secret } = seed
  const app = await appWithKey(services, 'tokens', seed.consumer_key)
  const access = seed.permissions ?? app.permissions
  const id = `${app.id}:${userId}:${access}`
  const existing = (await userTokens.find(token))?.token
  if (existing) return { id, differing: differences({ appId: app.id, userId, secret, access: seed.permissions }, existing) }
  if (!(await users.byId(userId))) throw invalidSeed('tokens', 'user_id', userId, 'does not belong to any user')
  const isNew = await userTokens.insert({ token, secret, appId: app.id, userId, access, createdAtMs: services.now() })
  return isNew ? { id } : { id, differing: ['token'] }
}

const addSubscription: SeedAdder<'subscriptions'> = async (seed, services) => {
  const { storage, ids, now } = services
  const { webhook_id: seeded = null, tag = null } = seed
  const webhookId = seeded && (services.standIns.get(seeded) ?? seeded)
  const app = await appWithKey(services, 'subscriptions', seed.consumer_key)
  const eventType = canonicalEventType(seed.event_type)
  const id = seed.subscription_id ?? ids.next()
  const filter = checkFilter(eventType, seed.filter)
  const subscription = { id, appId: app.id, webhookId, eventType, filter, tag, createdAtMs: now(), updatedAtMs: now() }
  const created = await storage.subscriptions.insert(subscription, Number.POSITIVE_INFINITY)
  if (created === 'no-webhook') throw invalidSeed('subscriptions', 'webhook_id', webhookId ?? '', 'is not a webhook of the app')
  if (created === 'id-taken') throw takenId('subscriptions', 'subscription_id', id)
  return typeof created === 'object' ? { id: created.duplicateOf, differing: [] } : { id }
}

export interface SeedReport {
  created: Seeded[]
  existing: Seeded[]
  differing: Seeded[]
}

const passwordErrors = ({ users = [] }: SeedDocument, errorsOf: typeof weakPassword): ErrorDetail[] =>
  users.flatMap(({ password }, at) => (password === undefined ? [] : errorsOf(password, `users.${at}.password`)))

/** What production refuses. */
const weaknesses = (document: SeedDocument): ErrorDetail[] => [
  ...(document.apps ?? []).flatMap((app, at) => weakCredentials(app, `apps.${at}`)),
  ...passwordErrors(document, weakPassword),
]

/**
 * Loads a seed: adds what is missing, reports what exists already and what differs, overwrites nothing. Missing fields get defaults.
 * Processes that share a database load one seed after the other. Throws `invalid-request` when a record refers to another that does not
 * exist, for a hash that cannot be used, and in production for weak secrets and passwords.
 */
export async function loadSeedDocument(
  written: SeedDocument,
  given: Omit<SeedServices, 'standIns' | 'isJudged'>,
  giveWay: GiveWay = endOfTurn,
): Promise<SeedReport> {
  const document = isDemoSeed(written) ? await withRecentTimes(written, given) : written
  assertNoErrors([...passwordErrors(document, unusablePassword), ...(given.refusesWeakSecrets ? weaknesses(document) : [])])
  const services: SeedServices = { ...given, standIns: new Map(), isJudged: !isDemoSeed(written) }
  const report: SeedReport = { created: [], existing: [], differing: [] }

  const note = (kind: string, { id, differing, children = [] }: Added) => {
    if (differing === undefined) report.created.push({ kind, id })
    else if (differing.length === 0) report.existing.push({ kind, id })
    else report.differing.push({ kind, id, fields: differing })
    report.created.push(...children)
  }

  const addAll = async <Seed>(kind: SeedKind, seeds: readonly Seed[] = [], add: (seed: Seed, services: SeedServices) => Promise<Added>) => {
    for (const seed of seeds) {
      note(kind, await add(seed, services))
      await giveWay()
    }
  }

  if (Object.keys(document).length === 0) return report
  const objects = await seedObjects(document, giveWay)
  const load = new ContentLoad(services, note, giveWay)

  const { storage } = services
  return storage.runExclusively(async () => {
    await checkContent(document, objects, storage.content, giveWay)
    await addAll('apps', document.apps, addApp)
    await addUsers(load, document.users ?? [])
    await addAll('tokens', document.tokens, addToken)
    await addAll('webhooks', document.webhooks, addWebhook)
    await addAll('subscriptions', document.subscriptions, addSubscription)
    await addAll('accounts', withIds(document.accounts ?? []), addAccount)
    await addAll('product_catalogs', document.product_catalogs, addCatalog)
    await addContent(load, document, objects)
    return report
  })
}

const MAX_LENGTH = 2000

/** What differs from a seed, as a sentence for the log; undefined when nothing does. */
export function describeDifferences({ differing }: SeedReport): string | undefined {
  if (differing.length === 0) return undefined
  const records = differing.map(({ kind, id, fields = [] }) => `${kind} ${id} (${fields.join(', ')})`)
  return cutText(`the database differs from the seed and keeps its values: ${records.join('; ')}`, MAX_LENGTH)
}
