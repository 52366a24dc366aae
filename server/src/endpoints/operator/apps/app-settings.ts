import { invalidRequest } from '../../../api/declare/problem.ts'
import { boolean, commaList, integer, listOf, nullable, oneOf, type ParamsOf, text } from '../../../api/declare/words.ts'
import type { AppChanges } from '../../../storage/apps.ts'

/** Schemes that a browser would not leave the page with, or would run something of (public practice). */
const REFUSED = new Set([
  'javascript:',
  'data:',
  'vbscript:',
  'file:',
  'blob:',
  'about:',
  'view-source:',
  'filesystem:',
  'ws:',
  'wss:',
  'mailto:',
  'tel:',
])

/** Why a text cannot be the callback of an app; undefined when it can. It is compared to the byte, so it is never rewritten. */
function wrongIn(callback: string): string | undefined {
  if (/[\s\p{Cc}]/u.test(callback)) return 'must not hold white space or control characters'
  if (!URL.canParse(callback)) return 'must be an absolute URL'
  const { protocol, username, password } = new URL(callback)
  if (REFUSED.has(protocol)) return `must not have the scheme ${protocol}`
  return username || password ? 'must not hold a user name or password' : undefined
}

/** Throws `invalid-request` when one of an app's callbacks cannot be one. */
export function assertCallbacks(callbacks: readonly string[]): void {
  const mistakes = callbacks.flatMap((callback, place) => {
    const wrong = wrongIn(callback)
    return wrong === undefined ? [] : [{ message: `$.callback_urls.${place}: ${wrong}`, parameters: { callback_urls: [callback] } }]
  })
  if (mistakes.length > 0) throw invalidRequest(mistakes)
}

/** What apps may use before others; in development all do. */
export const earlyAccess = ['catalogs', 'account_history', 'advertiser_user_id'] as const

const MAX_USAGE_CAP = 1_000_000_000_000

const quota = (description: string) => nullable(integer({ min: 0, max: MAX_USAGE_CAP, description }))

/** The settings of an app, as seeds, changes and answers spell them. */
export const appSettings = {
  name: text({ max: 100 }),
  callback_urls: listOf(text({ max: 500, description: 'Allowed OAuth callback URLs, compared byte by byte.' }), { max: 10 }),
  permissions: oneOf(['read', 'read_write', 'read_write_dm']),
  sign_in_with_service: boolean(),
  webhook_limit: integer({ min: 0, max: 100_000 }),
  ads_access: boolean(),
  early_access: commaList(oneOf(earlyAccess), { min: 0 }),
  activity_enrolled: boolean({
    description: 'Whether the app may use the activity API; otherwise its calls there are refused with `client-forbidden`. Default: true.',
  }),
  usage_cap: nullable(
    integer({
      min: 0,
      max: MAX_USAGE_CAP,
      description:
        'Deliveries in a calendar month (UTC), from which on new subscriptions are refused with `usage-capped`; null for no cap. Counted from when it is set.',
    }),
  ),
  event_quota: quota(
    'Events in a calendar month (UTC), from which on its deliveries are kept for replay (`not_sent`, `quota`) and what would bring more is refused with `usage-capped`; null for no quota. Each event counts once, however many webhooks it is sent to. Counted from when a quota is set.',
  ),
  delivery_quota: quota('The same for deliveries: one for each webhook that an event is sent to, or for the stream.'),
  row_quota: quota(
    'Webhooks, subscriptions, tokens of users and OAuth 2.0 grants, from which on new webhooks and subscriptions are refused with `usage-capped`; null for no quota.',
  ),
  oauth2_client_type: oneOf(['confidential', 'public'], {
    description:
      'Whether the OAuth 2.0 client has a secret: `confidential` for a server, `public` for an app on a device or in a browser. Default: confidential.',
  }),
  suspended: boolean({
    description: 'All requests of a suspended app are rejected and it receives no deliveries; its events are kept for replay.',
  }),
}

export type AppSettings = ParamsOf<typeof appSettings>

/** The settings that are given, as the storage names them, without the OAuth 2.0 client, whose type and secret change together. Throws `invalid-request` when a callback cannot be one. */
export function changesOf(settings: Partial<AppSettings>): AppChanges {
  assertCallbacks(settings.callback_urls ?? [])
  return changes(settings)
}

const changes = (settings: Partial<AppSettings>): AppChanges => ({
  name: settings.name,
  callbackUrls: settings.callback_urls,
  permissions: settings.permissions,
  signInWithService: settings.sign_in_with_service,
  webhookLimit: settings.webhook_limit,
  adsAccess: settings.ads_access,
  earlyAccess: settings.early_access,
  activityEnrolled: settings.activity_enrolled,
  usageCap: settings.usage_cap,
  eventQuota: settings.event_quota,
  deliveryQuota: settings.delivery_quota,
  rowQuota: settings.row_quota,
  suspended: settings.suspended,
})
