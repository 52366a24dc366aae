import { id, iso, nullable, object, text, timestamp } from '../../../api/declare/words.ts'
import type { App } from '../../../storage/apps.ts'
import { type AppSettings, appSettings } from './app-settings.ts'

/** An app as the operator sees it: without its secrets. */
export const appMembers = {
  id: id(),
  consumer_key: text(),
  ...appSettings,
  oauth2_client_id: nullable(text({ description: 'Null if the app has no OAuth 2.0 client.' })),
  oauth2_client_type: nullable(appSettings.oauth2_client_type),
  previous_secret_until: nullable(timestamp({ description: 'When the previous consumer secret expires; null if there is none.' })),
  created_at: timestamp(),
}

export const appSchema = object(appMembers)

export const appView = (app: App, nowMs: number) => ({
  id: app.id,
  consumer_key: app.consumerKey,
  name: app.name,
  callback_urls: app.callbackUrls,
  permissions: app.permissions,
  sign_in_with_service: app.signInWithService,
  webhook_limit: app.webhookLimit,
  ads_access: app.adsAccess,
  early_access: app.earlyAccess as AppSettings['early_access'],
  activity_enrolled: app.activityEnrolled,
  usage_cap: app.usageCap,
  oauth2_client_id: app.oauth2ClientId,
  oauth2_client_type: app.oauth2ClientType,
  suspended: app.suspended,
  previous_secret_until: (app.previousSecretUntilMs ?? 0) > nowMs ? iso(app.previousSecretUntilMs!) : null,
  created_at: iso(app.createdAtMs),
})
