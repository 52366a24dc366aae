import type { Auth } from '../api/declare/auth.ts'
import { coded } from '../api/declare/problem.ts'
import { headerOf, type RawRequest } from '../api/declare/raw-request.ts'
import { equalInConstantTime } from '../lib/crypto.ts'
import { type App, type AppStore, previousSecretOf } from '../storage/apps.ts'
import type { AppCaller } from './app-bearer.ts'

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The API key and API key secret of an `Authorization: Basic` header, each percent-encoded or not. U+0000 is in none. */
function credentialsOf(request: RawRequest): { key: string; secret: string } | undefined {
  const [scheme = '', value = ''] = (headerOf(request, 'authorization') ?? '').split(/ +/, 2)
  if (scheme.toLowerCase() !== 'basic') return undefined
  const text = Buffer.from(value, 'base64').toString('utf8')
  const at = text.indexOf(':')
  return at < 0 || decoded(text).includes('\u0000') ? undefined : { key: text.slice(0, at), secret: text.slice(at + 1) }
}

/** An app, and which of its secrets it has shown. */
export interface AppPasswordCaller extends AppCaller {
  secretVersion: number
}

const NOBODY = { consumerSecret: 'no app has this secret', previousConsumerSecret: null, previousSecretUntilMs: null }

/**
 * Compares with the current and the previous secret, always both, so that neither the key nor the secret shows in the time taken. How many
 * versions before the current one the secret is that was sent; undefined when it is neither.
 */
function ageOfSecret(app: Pick<App, keyof typeof NOBODY>, sent: string, nowMs: number): 0 | 1 | undefined {
  const held = previousSecretOf(app, nowMs)
  const current = [sent, decoded(sent)].map((secret) => equalInConstantTime(secret, app.consumerSecret))
  const previous = [sent, decoded(sent)].map((secret) => equalInConstantTime(secret, held ?? NOBODY.consumerSecret))
  if (current.includes(true)) return 0
  return held !== null && previous.includes(true) ? 1 : undefined
}

/**
 * The app whose API key and secret are the name and password of HTTP Basic (§4.3, §5.3). Every refusal is 403 code 99,
 * the same for an unknown key and a wrong secret.
 */
export const appPassword: Auth<AppPasswordCaller, { apps: AppStore; now: () => number }> = {
  name: 'appPassword',
  scheme: { type: 'http', scheme: 'basic', description: 'API key as the user name, API key secret as the password.' },
  async authenticate(request, { apps, now }) {
    const sent = credentialsOf(request)
    if (!sent) throw coded(99)
    const app = (await apps.byConsumerKey(sent.key)) ?? (await apps.byConsumerKey(decoded(sent.key)))
    const age = ageOfSecret(app ?? NOBODY, sent.secret, now())
    if (!app || age === undefined || app.suspended) throw coded(99)
    return { app, secretVersion: app.secretVersion - age, rateKey: `app:${app.id}` }
  },
}
