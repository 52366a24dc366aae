import type { Seal } from '../../../lib/seal.ts'
import type { App, AppChanges } from '../../apps.ts'
import type { NewRow, Row } from '../schema.ts'
import { sealedColumns } from './sealed-columns.ts'

const { purpose: SECRET } = sealedColumns.consumerSecret
const { purpose: PREVIOUS_SECRET } = sealedColumns.previousConsumerSecret
const { purpose: CLIENT_SECRET } = sealedColumns.oauth2ClientSecret

/** Converts a row to an app and decrypts its secrets. */
export const openApp = (seal: Seal, row: Row<'apps'>): App => ({
  id: row.id,
  name: row.name,
  consumerKey: row.consumer_key,
  consumerSecret: seal.open(SECRET, row.consumer_secret_sealed),
  secretVersion: row.secret_version,
  previousConsumerSecret: row.previous_consumer_secret_sealed && seal.open(PREVIOUS_SECRET, row.previous_consumer_secret_sealed),
  previousSecretUntilMs: row.previous_secret_until_ms,
  callbackUrls: JSON.parse(row.callback_urls),
  permissions: row.permissions,
  signInWithService: Boolean(row.sign_in_with_service),
  webhookLimit: row.webhook_limit,
  adsAccess: Boolean(row.ads_access),
  earlyAccess: JSON.parse(row.early_access),
  activityEnrolled: Boolean(row.activity_enrolled),
  usageCap: row.usage_cap,
  eventQuota: row.event_quota,
  deliveryQuota: row.delivery_quota,
  rowQuota: row.row_quota,
  oauth2ClientId: row.oauth2_client_id,
  oauth2ClientType: row.oauth2_client_type,
  oauth2ClientSecret: row.oauth2_client_secret_sealed && seal.open(CLIENT_SECRET, row.oauth2_client_secret_sealed),
  suspended: Boolean(row.suspended),
  portalGeneration: row.portal_generation,
  createdAtMs: row.created_at_ms,
})

/** The columns of changed fields, secrets encrypted. A column is undefined if its field is. */
export const changedColumns = (seal: Seal, changes: AppChanges) => ({
  name: changes.name,
  callback_urls: changes.callbackUrls && JSON.stringify(changes.callbackUrls),
  permissions: changes.permissions,
  sign_in_with_service: changes.signInWithService,
  webhook_limit: changes.webhookLimit,
  ads_access: changes.adsAccess,
  early_access: changes.earlyAccess && JSON.stringify(changes.earlyAccess),
  activity_enrolled: changes.activityEnrolled,
  usage_cap: changes.usageCap,
  event_quota: changes.eventQuota,
  delivery_quota: changes.deliveryQuota,
  row_quota: changes.rowQuota,
  oauth2_client_id: changes.oauth2ClientId,
  oauth2_client_type: changes.oauth2ClientType,
  oauth2_client_secret_sealed: changes.oauth2ClientSecret && seal.seal(CLIENT_SECRET, changes.oauth2ClientSecret),
  suspended: changes.suspended,
})

/** The columns of an app's consumer secrets, encrypted. */
export const sealSecrets = (
  seal: Seal,
  app: Pick<App, 'consumerSecret' | 'secretVersion' | 'previousConsumerSecret' | 'previousSecretUntilMs'>,
) => ({
  consumer_secret_sealed: seal.seal(SECRET, app.consumerSecret),
  secret_version: app.secretVersion,
  previous_consumer_secret_sealed: app.previousConsumerSecret === null ? null : seal.seal(PREVIOUS_SECRET, app.previousConsumerSecret),
  previous_secret_until_ms: app.previousSecretUntilMs,
})

/** Converts an app to a row and encrypts its secrets. No column is undefined, because no field is. */
export const sealApp = (seal: Seal, app: App): NewRow<'apps'> => ({
  ...(changedColumns(seal, app) as Pick<NewRow<'apps'>, keyof ReturnType<typeof changedColumns>>),
  ...sealSecrets(seal, app),
  id: app.id,
  consumer_key: app.consumerKey,
  portal_generation: app.portalGeneration,
  created_at_ms: app.createdAtMs,
})
