import type { Seal } from '../../lib/seal.ts'
import type { App, AppChanges } from '../apps.ts'
import type { NewRow, Row } from './schema.ts'

const SECRET = 'apps.consumer_secret'
const PREVIOUS_SECRET = 'apps.previous_consumer_secret'

/** An app as it is stored, opened. */
export const openApp = (seal: Seal, row: Row<'apps'>): App => ({
  id: row.id,
  name: row.name,
  consumerKey: row.consumer_key,
  consumerSecret: seal.open(SECRET, row.consumer_secret_sealed),
  previousConsumerSecret: row.previous_consumer_secret_sealed && seal.open(PREVIOUS_SECRET, row.previous_consumer_secret_sealed),
  previousSecretUntilMs: row.previous_secret_until_ms,
  callbackUrls: JSON.parse(row.callback_urls),
  permissions: row.permissions,
  signInWithService: Boolean(row.sign_in_with_service),
  webhookLimit: row.webhook_limit,
  adsAccess: Boolean(row.ads_access),
  earlyAccess: JSON.parse(row.early_access),
  suspended: Boolean(row.suspended),
  createdAtMs: row.created_at_ms,
})

/** The columns of what is changed; a column is undefined when its field is. */
export const sealChanges = (seal: Seal, changes: AppChanges) => ({
  name: changes.name,
  consumer_secret_sealed: changes.consumerSecret === undefined ? undefined : seal.seal(SECRET, changes.consumerSecret),
  previous_consumer_secret_sealed: changes.previousConsumerSecret
    ? seal.seal(PREVIOUS_SECRET, changes.previousConsumerSecret)
    : changes.previousConsumerSecret,
  previous_secret_until_ms: changes.previousSecretUntilMs,
  callback_urls: changes.callbackUrls && JSON.stringify(changes.callbackUrls),
  permissions: changes.permissions,
  sign_in_with_service: changes.signInWithService,
  webhook_limit: changes.webhookLimit,
  ads_access: changes.adsAccess,
  early_access: changes.earlyAccess && JSON.stringify(changes.earlyAccess),
  suspended: changes.suspended,
})

/** A whole app as it is stored. None of its columns is undefined, because none of its fields is. */
export const sealApp = (seal: Seal, app: App): NewRow<'apps'> => ({
  ...(sealChanges(seal, app) as Omit<NewRow<'apps'>, 'id' | 'consumer_key' | 'created_at_ms'>),
  id: app.id,
  consumer_key: app.consumerKey,
  created_at_ms: app.createdAtMs,
})
