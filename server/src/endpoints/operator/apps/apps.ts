import { operator, operatorOrPortal } from '../../../access/operator.ts'
import { endpoint } from '../../../api/declare/endpoint.ts'
import { invalidRequest, Problem } from '../../../api/declare/problem.ts'
import { boolean, duration, id, iso, matching, nullable, object, optional, optionals, text, timestamp } from '../../../api/declare/words.ts'
import { equalInConstantTime } from '../../../lib/crypto.ts'
import { HOUR_MS, parseDuration } from '../../../lib/time.ts'
import type { App, AppStore } from '../../../storage/apps.ts'
import type { EventLog } from '../../../storage/event-log.ts'
import { changesBetween } from '../audit-changes.ts'
import { operatorPage } from '../operator-page.ts'
import { assertNoErrors, clientId, consumerKey, MIN_LENGTH, newSecret, weakCredentials } from './app-credentials.ts'
import { type AppSettings, appSettings, changesOf } from './app-settings.ts'
import { type NewAppServices, newApp, newConsumerSecret } from './new-app.ts'
import { clientChanges } from './oauth2-client.ts'

/** An app as the operator sees it: without its secrets. */
const appMembers = {
  id: id(),
  consumer_key: text(),
  ...appSettings,
  oauth2_client_id: nullable(text({ description: 'Null if the app has no OAuth 2.0 client.' })),
  oauth2_client_type: nullable(appSettings.oauth2_client_type),
  previous_secret_until: nullable(timestamp({ description: 'When the previous consumer secret expires; null if there is none.' })),
  created_at: timestamp(),
}

const appSchema = object(appMembers)

const appView = (app: App, nowMs: number) => ({
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
  event_quota: app.eventQuota,
  delivery_quota: app.deliveryQuota,
  row_quota: app.rowQuota,
  oauth2_client_id: app.oauth2ClientId,
  oauth2_client_type: app.oauth2ClientType,
  suspended: app.suspended,
  previous_secret_until: (app.previousSecretUntilMs ?? 0) > nowMs ? iso(app.previousSecretUntilMs!) : null,
  created_at: iso(app.createdAtMs),
})

const page = operatorPage('after', id, appSchema)

/** A page after an app that is gone would be empty, and look like the last. */
const noSuchPlace = (after: string) =>
  invalidRequest([
    {
      message: '$.after: must be the id of an app; this one may have been deleted, begin again without after',
      parameters: { after: [after] },
    },
  ])

export const listApps = endpoint({
  name: 'listApps',
  route: 'GET /operator/apps',
  section: '§5',
  summary: 'List the apps, oldest first, without their secrets.',
  auth: operatorOrPortal({ after: 'app?', max_results: 'any' }),
  params: page.params,
  answer: page.answer,
  async handle({ params: { after, max_results }, caller }, { apps, now }: { apps: AppStore; now: () => number }) {
    if (after !== undefined && !(await apps.byId(after))) throw noSuchPlace(after)
    const own = async (id: string) => (after === undefined ? [await apps.byId(id)] : []).filter((app) => app !== undefined)
    return page.read(max_results, {
      rows: (limit) => (caller.app ? own(caller.app.id) : apps.list(after ?? null, limit)),
      view: (app) => appView(app, now()),
      placeOf: (app) => app.id,
    })
  },
})

interface Services {
  apps: AppStore
  now: () => number
  /** Refuses a chosen secret that is a placeholder or too short: true in production. */
  refusesWeakSecrets: boolean
}

const taken = (name: 'id' | 'consumer_key' | 'oauth2_client_id', value: string): Problem =>
  invalidRequest([{ message: `$.${name}: must be new; another app has it`, parameters: { [name]: [value] } }])

/** What of an app that could not be inserted another app has. */
async function takenIn({ id, consumerKey, oauth2ClientId }: App, apps: AppStore): Promise<Problem> {
  if (await apps.byConsumerKey(consumerKey)) return taken('consumer_key', consumerKey)
  const isClientTaken = oauth2ClientId !== null && (await apps.byOAuth2ClientId(oauth2ClientId))
  return isClientTaken ? taken('oauth2_client_id', oauth2ClientId) : taken('id', id)
}

export const createApp = endpoint({
  name: 'createApp',
  route: 'POST /operator/apps',
  section: '§5',
  summary: 'Create an app.',
  description:
    'Missing fields get defaults; missing keys, client ids and secrets are generated. Secrets are shown only in this response, also when they were chosen.',
  auth: operator,
  params: {
    ...optionals(appSettings),
    name: appSettings.name,
    id: optional(matching('^[0-9]{1,19}$', { mustBe: 'a whole number of at most 19 digits', description: 'Default: a generated one.' })),
    consumer_key: optional(consumerKey({ min: MIN_LENGTH, description: 'The API key. Default: a generated one.' })),
    consumer_secret: optional(newSecret('The API key secret. Default: a generated one.')),
    oauth2_client_id: optional(clientId('The OAuth 2.0 client id. Default: a generated one.')),
    oauth2_client_secret: optional(newSecret('The secret of a confidential OAuth 2.0 client. Default: a generated one.')),
  },
  answer: object({
    data: object({
      ...appMembers,
      consumer_secret: text({ description: 'It is shown only in this response.' }),
      oauth2_client_secret: nullable(text({ description: 'It is shown only in this response. Null for a public client.' })),
    }),
  }),
  example: { name: 'Demo' },
  async handle({ params, noteInAudit }, services: NewAppServices & Services) {
    const { apps, now, refusesWeakSecrets } = services
    if (refusesWeakSecrets) assertNoErrors(weakCredentials(params))
    const app = newApp(params, services)
    if (!(await apps.insert(app))) throw await takenIn(app, apps)
    noteInAudit({ appId: app.id, changes: changesBetween({}, appView(app, now())) })
    return { data: { ...appView(app, now()), consumer_secret: app.consumerSecret, oauth2_client_secret: app.oauth2ClientSecret } }
  },
})

const USUAL_OVERLAP = '24h'
const MAX_OVERLAP_MS = 30 * 24 * HOUR_MS

const rotation = object(
  {
    consumer_secret: optional(newSecret('The new secret. Default: a generated one.')),
    overlap: optional(
      duration({
        example: USUAL_OVERLAP,
        description: `How long the current secret, and the bearer token that it bought, stay valid after the rotation, at most 30d. Default: ${USUAL_OVERLAP}; \`0s\`: not at all.`,
      }),
    ),
  },
  { description: 'Give the app a new consumer secret.' },
)

const clientRotation = object(
  { oauth2_client_secret: optional(newSecret('The new secret. Default: a generated one.')) },
  { description: 'Give the confidential OAuth 2.0 client a new secret. The current one is invalid at once; tokens stay valid.' },
)

function overlapMs(overlap = USUAL_OVERLAP): number {
  const ms = parseDuration(overlap)
  if (ms !== undefined && ms <= MAX_OVERLAP_MS) return ms
  throw invalidRequest([{ message: '$.rotate_secret.overlap: must be at most 30d', parameters: { 'rotate_secret.overlap': [overlap] } }])
}

export const noSuchApp = (id: string): Problem => new Problem('not-found', { detail: `There is no app ${id}.` })

export const getApp = endpoint({
  name: 'getApp',
  route: 'GET /operator/apps/:app_id',
  section: '§5',
  summary: 'Get an app, without its secrets.',
  auth: operator,
  params: { app_id: id({ example: '1' }) },
  answer: object({ data: appSchema }),
  problems: ['not-found'],
  async handle({ params: { app_id } }, { apps, now }: Pick<Services, 'apps' | 'now'>) {
    const app = await apps.byId(app_id)
    if (!app) throw noSuchApp(app_id)
    return { data: appView(app, now()) }
  },
})

export const updateApp = endpoint({
  name: 'updateApp',
  route: 'PATCH /operator/apps/:app_id',
  section: '§5',
  summary: 'Change the settings of an app, suspend it, or rotate its secrets.',
  description:
    'Omitted fields keep their value. During the overlap of a rotation, both secrets authenticate the app and pass a challenge; events are signed with the old one until the callback has answered a challenge with the new one. Any older secret is invalid. A rotation to the secret that the app has can only end the overlap earlier, so a call without an answer can be repeated. A client of OAuth 2.0 that becomes public loses its secret; one that becomes confidential gets one. A bearer token ends with the oldest secret that it was given to: without an overlap at once. All requests of a suspended app are rejected from the next one on and it receives no more deliveries, though a POST in flight may finish; its events are kept for replay.',
  auth: operatorOrPortal({ app_id: 'app', rotate_secret: 'any' }),
  params: {
    app_id: id({ example: '1' }),
    ...optionals(appSettings),
    rotate_secret: optional(rotation),
    rotate_oauth2_client_secret: optional(clientRotation),
  },
  answer: object({
    data: object({
      ...appMembers,
      consumer_secret: optional(text({ description: 'The new secret if it was generated. It is shown only in this response.' })),
      oauth2_client_secret: optional(text({ description: 'The same of the OAuth 2.0 client.' })),
    }),
  }),
  problems: ['not-found'],
  async handle(
    { params: { app_id, rotate_secret, rotate_oauth2_client_secret, ...settings }, noteInAudit },
    { apps, now, refusesWeakSecrets }: Services,
  ) {
    if (refusesWeakSecrets)
      assertNoErrors([
        ...weakCredentials(rotate_secret ?? {}, 'rotate_secret'),
        ...weakCredentials(rotate_oauth2_client_secret ?? {}, 'rotate_oauth2_client_secret'),
      ])
    const overlap = overlapMs(rotate_secret?.overlap)
    const made = rotate_secret && rotate_secret.consumer_secret === undefined ? newConsumerSecret() : undefined
    const secret = rotate_secret?.consumer_secret ?? made
    const rotation = secret === undefined ? undefined : { secret, previousUntilMs: overlap === 0 ? null : now() + overlap }
    let before = undefined as App | undefined
    const changes = (app: App) => {
      before = app
      return { ...changesOf(settings), ...clientChanges(app, settings.oauth2_client_type, rotate_oauth2_client_secret) }
    }
    const app = await apps.update(app_id, changes, rotation)
    if (!app || !before) throw noSuchApp(app_id)
    const hasNewClientSecret = !equalInConstantTime(app.oauth2ClientSecret ?? '', before.oauth2ClientSecret ?? '')
    const changedSecrets = [app.secretVersion !== before.secretVersion && 'consumer_secret', hasNewClientSecret && 'oauth2_client_secret']
    noteInAudit({ changes: changesBetween(appView(before, now()), appView(app, now()), changedSecrets) })
    const isClientSecretMade = hasNewClientSecret && rotate_oauth2_client_secret?.oauth2_client_secret === undefined
    const secrets = {
      ...(made !== undefined && { consumer_secret: made }),
      ...(isClientSecretMade && app.oauth2ClientSecret !== null && { oauth2_client_secret: app.oauth2ClientSecret }),
    }
    return { data: { ...appView(app, now()), ...secrets } }
  },
})

export const deleteApp = endpoint({
  name: 'deleteApp',
  route: 'DELETE /operator/apps/:app_id',
  section: '§5',
  summary: 'Delete an app.',
  description:
    'Its webhooks, subscriptions, replay jobs and all its tokens are deleted too; its retries and pending deliveries are cancelled. Every process refuses its requests from the next one on. A POST in flight may finish.',
  auth: operator,
  params: { app_id: id({ example: '9' }) },
  answer: object({ data: object({ deleted: boolean() }) }),
  problems: ['not-found'],
  async handle({ params: { app_id } }, { apps, eventLog, now }: { apps: AppStore; eventLog: EventLog; now: () => number }) {
    const webhooks = await apps.remove(app_id)
    if (!webhooks) throw new Problem('not-found', { detail: `There is no app ${app_id}.` })
    for (const webhookId of webhooks) await eventLog.cancel(webhookId, now(), 'webhook deleted')
    return { data: { deleted: true } }
  },
})
