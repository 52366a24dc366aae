import { randomAlphanumeric } from '../../../lib/crypto.ts'
import type { Ids } from '../../../lib/ids.ts'
import type { App } from '../../../storage/apps.ts'
import { type AppSettings, changesOf } from './app-settings.ts'
import { type GivenClient, newClient } from './oauth2-client.ts'

/** Letters and digits alone: a key that began with `-` would be an option of a command line. */
const KEY_LENGTH = 24
const SECRET_LENGTH = 48

/** What an app is made from: its name at least. */
export type GivenApp = Partial<AppSettings> &
  Pick<AppSettings, 'name'> &
  GivenClient & { id?: string; consumer_key?: string; consumer_secret?: string }

export interface NewAppServices {
  ids: Ids
  now: () => number
  /** The early access of an app that is given none. */
  usualEarlyAccess: string[]
}

export const newConsumerSecret = (): string => randomAlphanumeric(SECRET_LENGTH)

/** A new app: missing fields get defaults, a missing key and secret are generated. Throws `invalid-request` for a callback that cannot be one. */
export function newApp(given: GivenApp, { ids, now, usualEarlyAccess }: NewAppServices): App {
  const { name, callbackUrls, permissions, signInWithService, webhookLimit, adsAccess, earlyAccess, ...access } = changesOf(given)
  return {
    id: given.id ?? ids.next(),
    name: name ?? given.name,
    consumerKey: given.consumer_key ?? randomAlphanumeric(KEY_LENGTH),
    consumerSecret: given.consumer_secret ?? newConsumerSecret(),
    secretVersion: 1,
    previousConsumerSecret: null,
    previousSecretUntilMs: null,
    callbackUrls: callbackUrls ?? [],
    permissions: permissions ?? 'read',
    signInWithService: signInWithService ?? false,
    webhookLimit: webhookLimit ?? 5,
    adsAccess: adsAccess ?? false,
    earlyAccess: earlyAccess ?? usualEarlyAccess,
    activityEnrolled: access.activityEnrolled ?? true,
    usageCap: access.usageCap ?? null,
    eventQuota: access.eventQuota ?? null,
    deliveryQuota: access.deliveryQuota ?? null,
    rowQuota: access.rowQuota ?? null,
    ...newClient(given),
    suspended: access.suspended ?? false,
    portalGeneration: 1,
    createdAtMs: now(),
  }
}
