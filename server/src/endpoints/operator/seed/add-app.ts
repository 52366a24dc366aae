import { randomBytes } from 'node:crypto'
import type { App } from '../../../storage/apps.ts'
import { changesOf } from '../apps/app-settings.ts'
import { differences } from './differences.ts'
import type { SeedAdder, SeedServices } from './seed-adder.ts'
import type { SeedOf } from './seed-document.ts'

const made = (bytes: number) => randomBytes(bytes).toString('base64url')

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
    activityEnrolled: seed.activity_enrolled ?? true,
    usageCap: seed.usage_cap ?? null,
    suspended: seed.suspended ?? false,
    createdAtMs: now(),
  }
}

const fieldsOf = (seed: SeedOf<'apps'>) => ({
  ...changesOf(seed),
  consumerSecret: seed.consumer_secret,
  id: seed.id,
  consumerKey: seed.consumer_key,
})

export const addApp: SeedAdder<'apps'> = async (seed, services) => {
  const { apps } = services.storage
  const fields = fieldsOf(seed)
  const existing = (seed.consumer_key && (await apps.byConsumerKey(seed.consumer_key))) || (seed.id && (await apps.byId(seed.id)))
  if (existing) return { id: existing.id, differing: differences(fields, existing) }
  const app = appOf(seed, services)
  await apps.insert(app)
  return { id: app.id }
}
