import { randomBytes } from 'node:crypto'
import { invalidRequest } from '../../../api/problem.ts'
import { iso } from '../../../api/words.ts'
import { nextChallengeAtMs } from '../../../delivery/challenge-slot.ts'
import { canonicalEventType } from '../../../delivery/event-types.ts'
import type { Ids } from '../../../lib/ids.ts'
import { hashPassword, isPasswordHash } from '../../../lib/password.ts'
import type { App } from '../../../storage/apps.ts'
import type { Storage } from '../../../storage/storage.ts'
import { checkFilter } from '../../activity/check-filter.ts'
import { checkCallbackUrl } from '../../webhooks/callback-url.ts'
import { changesOf } from '../apps/app-settings.ts'
import { kindsToCome, type SeedDocument, type SeedKind, type SeedOf } from './seed-document.ts'

/** One thing of a seed: what it is, and, where it stood already otherwise, in which fields. */
export interface Seeded {
  kind: SeedKind
  id: string
  fields?: string[]
}

export interface SeedReport {
  created: Seeded[]
  existing: Seeded[]
  differing: Seeded[]
  /** Kinds that the seed names and this version does not have. */
  left_out: string[]
}

export interface SeedServices {
  storage: Pick<Storage, 'apps' | 'users' | 'webhooks' | 'subscriptions'>
  ids: Ids
  now: () => number
  loopbackCallbacks: boolean
  /** What an app may use before others when its seed does not say: everything in development, nothing in production. */
  earlyAccess: string[]
}

const made = (bytes: number) => randomBytes(bytes).toString('base64url')

/** Which of the fields that the seed names differ from what stands. */
const differences = (wanted: object, standing: object) =>
  Object.entries(wanted)
    .filter(([name, value]) => JSON.stringify(value) !== JSON.stringify((standing as Record<string, unknown>)[name]))
    .map(([name]) => name)

function appOf(seed: SeedOf<'apps'>, { ids, now, earlyAccess }: SeedServices): App {
  return {
    id: seed.id ?? ids.next(),
    name: seed.name,
    consumerKey: seed.consumer_key ?? made(18),
    consumerSecret: seed.consumer_secret ?? made(36),
    secretVersion: 1,
    previousConsumerSecret: null,
    previousSecretUntilMs: null,
    callbackUrls: seed.callback_urls ?? [],
    permissions: seed.permissions ?? 'read',
    signInWithService: seed.sign_in_with_service ?? false,
    webhookLimit: seed.webhook_limit ?? 5,
    adsAccess: seed.ads_access ?? false,
    earlyAccess: seed.early_access ?? earlyAccess,
    suspended: seed.suspended ?? false,
    createdAtMs: now(),
  }
}

const taken = (member: string, id: string) =>
  invalidRequest([{ message: `$.${member}: ${id} is that of something else already`, parameters: { [member]: [id] } }])

const passwordHashOf = async (password: string | undefined) =>
  password === undefined || isPasswordHash(password) ? (password ?? null) : hashPassword(password)

const appFields = (seed: SeedOf<'apps'>, app: App) => {
  const named = { ...changesOf(seed), consumerSecret: seed.consumer_secret }
  return differences(Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined)), app)
}

/**
 * Loads a seed: adds what is missing, reports what stands already and what differs, overwrites nothing. What the seed leaves out
 * is made up. Throws `invalid-request` when a thing refers to another that does not exist.
 */
export async function loadSeed(document: SeedDocument, services: SeedServices): Promise<SeedReport> {
  const { storage, ids, now, loopbackCallbacks } = services
  const report: SeedReport = {
    created: [],
    existing: [],
    differing: [],
    left_out: Object.keys(kindsToCome).filter((kind) => kind in document),
  }
  const stood = (kind: SeedKind, id: string, fields: string[]) =>
    fields.length > 0 ? report.differing.push({ kind, id, fields }) : report.existing.push({ kind, id })

  const addApp = async (seed: SeedOf<'apps'>) => {
    const standing =
      (seed.consumer_key && (await storage.apps.byConsumerKey(seed.consumer_key))) || (seed.id && (await storage.apps.byId(seed.id)))
    if (standing)
      return stood('apps', standing.id, [
        ...appFields(seed, standing),
        ...differences({ ...(seed.id && { id: seed.id }), ...(seed.consumer_key && { consumerKey: seed.consumer_key }) }, standing),
      ])
    const app = appOf(seed, services)
    await storage.apps.insert(app)
    return report.created.push({ kind: 'apps', id: app.id })
  }

  const addUser = async (seed: SeedOf<'users'>) => {
    const standing = (seed.id && (await storage.users.byId(seed.id))) || (await storage.users.byUsername(seed.username))
    if (standing)
      return stood(
        'users',
        standing.id,
        differences({ username: seed.username, ...(seed.id && { id: seed.id }), ...(seed.name && { name: seed.name }) }, standing),
      )
    const user = {
      id: seed.id ?? ids.next(),
      username: seed.username,
      name: seed.name ?? seed.username,
      passwordHash: await passwordHashOf(seed.password),
      createdAtMs: now(),
    }
    await storage.users.insert(user)
    return report.created.push({ kind: 'users', id: user.id })
  }

  const appWithKey = async (kind: string, consumerKey: string): Promise<App> => {
    const app = await storage.apps.byConsumerKey(consumerKey)
    if (!app)
      throw invalidRequest([
        {
          message: `$.${kind}: consumer_key ${consumerKey} is not that of an app`,
          parameters: { [`${kind}.consumer_key`]: [consumerKey] },
        },
      ])
    return app
  }

  const createdAtMsOf = ({ created_at }: SeedOf<'webhooks'>): number => {
    if (created_at === undefined) return now()
    const ms = Date.parse(created_at)
    if (!Number.isNaN(ms) && iso(ms) === created_at) return ms
    throw invalidRequest([
      {
        message: `$.webhooks: created_at ${created_at} is not a moment that exists`,
        parameters: { 'webhooks.created_at': [created_at] },
      },
    ])
  }

  const addWebhook = async (seed: SeedOf<'webhooks'>) => {
    const app = await appWithKey('webhooks', seed.consumer_key)
    const createdAtMs = createdAtMsOf(seed)
    const normalUrl = checkCallbackUrl(seed.url, loopbackCallbacks)
    const standing = (await storage.webhooks.list(app.id)).find((webhook) => webhook.id === seed.id || webhook.normalUrl === normalUrl)
    const valid = seed.valid ?? true
    if (standing) return stood('webhooks', standing.id, differences({ ...(seed.id && { id: seed.id }), normalUrl, valid }, standing))
    if (seed.id !== undefined && (await storage.webhooks.byId(seed.id))) throw taken('webhooks.id', seed.id)
    const id = seed.id ?? ids.next()
    const webhook = {
      id,
      appId: app.id,
      url: seed.url,
      normalUrl,
      valid,
      createdAtMs,
      nextChallengeAtMs: valid ? nextChallengeAtMs(id, now()) : null,
      provenSecretVersion: app.secretVersion,
    }
    await storage.webhooks.register(webhook, Number.MAX_SAFE_INTEGER)
    return report.created.push({ kind: 'webhooks', id })
  }

  const addSubscription = async (seed: SeedOf<'subscriptions'>) => {
    const app = await appWithKey('subscriptions', seed.consumer_key)
    const eventType = canonicalEventType(seed.event_type)
    const fresh = {
      id: seed.subscription_id ?? ids.next(),
      appId: app.id,
      webhookId: seed.webhook_id ?? null,
      eventType,
      filter: checkFilter(eventType, seed.filter),
      tag: seed.tag ?? null,
    }
    const created = await storage.subscriptions.insert({ ...fresh, createdAtMs: now(), updatedAtMs: now() }, Number.MAX_SAFE_INTEGER)
    if (created === 'no-webhook')
      throw invalidRequest([
        {
          message: `$.subscriptions: webhook_id ${seed.webhook_id} is not a webhook of the app`,
          parameters: { 'subscriptions.webhook_id': [seed.webhook_id ?? ''] },
        },
      ])
    if (created === 'id-taken') throw taken('subscriptions.subscription_id', fresh.id)
    if (typeof created === 'object') return stood('subscriptions', created.duplicateOf, [])
    return report.created.push({ kind: 'subscriptions', id: fresh.id })
  }

  for (const seed of document.apps ?? []) await addApp(seed)
  for (const seed of document.users ?? []) await addUser(seed)
  for (const seed of document.webhooks ?? []) await addWebhook(seed)
  for (const seed of document.subscriptions ?? []) await addSubscription(seed)
  return report
}
