import type { Auth } from '../api/declare/auth.ts'
import { because, coded } from '../api/declare/problem.ts'
import { headerOf, type RawRequest } from '../api/declare/raw-request.ts'
import type { More } from '../api/declare/why.ts'
import { equalInConstantTime } from '../lib/crypto.ts'
import { type App, type AppStore, previousSecretOf } from '../storage/apps.ts'
import type { AppCaller } from './app-bearer.ts'
import type { ClientOriginOf } from './client-origin.ts'
import type { Attempt, FailedAttempts } from './failed-attempts.ts'
import { NO_APP } from './no-app.ts'
import type { ReportRefused } from './refused-credentials.ts'
import { isPadded, nameAndPassword, PADDED, percentDecoded } from './sent-credentials.ts'
import { suspendedApp } from './suspended-app.ts'

const PASTE = "Send both by HTTP Basic: curl -u '<consumer key>:<consumer secret>' …, which percent-encoding does not hurt."

const HOW = {
  none: 'The request has no `Authorization: Basic` header.',
  other: 'The Authorization header is not HTTP Basic.',
  unreadable: 'The `Authorization: Basic` header does not hold `key:secret` in base64.',
}

/** Why a request has no consumer key and secret, and how they are sent. */
function noBasic(request: RawRequest): [reason: string, more: More] {
  const header = headerOf(request, 'authorization')
  const how = header === undefined ? 'none' : /^basic\b/i.test(header) ? 'unreadable' : 'other'
  return [
    HOW[how],
    () => ['The consumer key is the user name, and the consumer secret the password. They are not read from the body.', PASTE],
  ]
}

interface Sent {
  key: string
  secret: string
}

/** Sentences that say what a text is that was sent as a consumer key and is none. */
async function whyNoSuchKey({ key, secret }: Sent, apps: Pick<AppStore, 'byConsumerKey' | 'byOAuth2ClientId'>) {
  const decoded = percentDecoded(key)
  if (isPadded(decoded)) return [PADDED]
  if (await apps.byOAuth2ClientId(decoded))
    return ['This is the OAuth 2.0 client id of an app. Here its consumer key belongs; POST /2/oauth2/token takes the client id.']
  if (await apps.byConsumerKey(percentDecoded(secret))) return ['Key and secret are swapped: the key is the user name.']
  return [
    'Compare it with the one that the operator gave you; it may also be that of another environment. GET /operator/apps lists the keys.',
  ]
}

/** Sentences that say what a text is that was sent as the consumer secret of an app and is not. */
function whyWrongSecret(app: App, sent: string): string[] {
  const secret = percentDecoded(sent)
  const isEqual = (other: string | null) => other !== null && equalInConstantTime(secret, other)
  if (secret === '') return ['It is empty. A variable that should hold it may be unset.']
  if (isEqual(app.previousConsumerSecret)) return ['This is the consumer secret from before the rotation. It has expired; use the new one.']
  if (isEqual(app.oauth2ClientSecret)) return ['This is the OAuth 2.0 client secret of the app. Here the consumer secret belongs.']
  if (isPadded(secret)) return [PADDED]
  return [`The key is that of the app ${app.name}. PATCH /operator/apps/${app.id} with {"rotate_secret": {}} gives it a new secret.`]
}

/** The API key and API key secret that a request carries. */
function credentialsOf(request: RawRequest): Sent | undefined {
  const found = nameAndPassword(headerOf(request, 'authorization'))
  return found && { key: found.name, secret: found.password }
}

/** An app, and the version of the secret that it has sent. */
export interface AppPasswordCaller extends AppCaller {
  secretVersion: number
}

/**
 * The age of a secret: 0 for the current one, 1 for the previous one, undefined for a wrong one. Always compares with both, so that timing
 * reveals nothing.
 */
function ageOfSecret(app: Pick<App, keyof typeof NO_APP>, sent: string, nowMs: number): 0 | 1 | undefined {
  const previousSecret = previousSecretOf(app, nowMs)
  const current = [sent, percentDecoded(sent)].map((secret) => equalInConstantTime(secret, app.consumerSecret))
  const previous = [sent, percentDecoded(sent)].map((secret) => equalInConstantTime(secret, previousSecret ?? NO_APP.consumerSecret))
  if (current.includes(true)) return 0
  return previousSecret !== null && previous.includes(true) ? 1 : undefined
}

interface Services {
  apps: AppStore
  now: () => number
  originOf: ClientOriginOf
  failedAttempts: FailedAttempts
  reportRefused: ReportRefused
}

/**
 * Authenticates the app whose API key and secret are the name and password of HTTP Basic (§4.3, §5.3). Every refusal is 403 code 99,
 * the same for an unknown key and a wrong secret, and after too many of them.
 */
export const appPassword: Auth<AppPasswordCaller, Services> = {
  name: 'appPassword',
  scheme: { type: 'http', scheme: 'basic', description: 'API key as the user name, API key secret as the password.' },
  async authenticate(request, { apps, now, originOf, failedAttempts, reportRefused }) {
    const sent = credentialsOf(request)
    if (!sent) throw because(coded(99), ...noBasic(request))
    const attempt: Attempt = { kind: 'app_secret', address: originOf(request).address, key: percentDecoded(sent.key) }
    failedAttempts.assertOpen(attempt)
    // All at once: how many are asked for must not depend on whether there is such an app.
    const found = await Promise.all([...new Set([sent.key, percentDecoded(sent.key)])].map((key) => apps.byConsumerKey(key)))
    const app = found.find((each) => each !== undefined)
    const age = ageOfSecret(app ?? NO_APP, sent.secret, now())
    if (!app || age === undefined) {
      reportRefused('app secret', attempt.address)
      const refused = app
        ? because(coded(99), 'The consumer secret is wrong.', () => whyWrongSecret(app, sent.secret))
        : because(coded(99), 'No app has this consumer key.', () => whyNoSuchKey(sent, apps))
      throw await failedAttempts.refusal(attempt, refused)
    }
    failedAttempts.succeeded(attempt)
    if (app.suspended) throw suspendedApp(coded(99), app)
    return { app, secretVersion: app.secretVersion - age, rateKey: `app:${app.id}` }
  },
}
