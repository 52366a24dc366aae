import type { Auth } from '../api/auth.ts'
import { coded } from '../api/problem.ts'
import { headerOf, type RawRequest } from '../api/raw.ts'
import { equalInConstantTime } from '../lib/hmac.ts'
import type { App, AppStore } from '../storage/apps.ts'
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

const NOBODY = { consumerSecret: 'no app has this secret', previousConsumerSecret: null }

/** Compares with the current and the previous secret, always both, so that neither the key nor the secret shows in the time taken. */
function secretMatches(app: Pick<App, 'consumerSecret' | 'previousConsumerSecret'>, sent: string, previousHolds: boolean): boolean {
  const current = [sent, decoded(sent)].map((secret) => equalInConstantTime(secret, app.consumerSecret))
  const previous = [sent, decoded(sent)].map((secret) => equalInConstantTime(secret, app.previousConsumerSecret ?? NOBODY.consumerSecret))
  return current.includes(true) || (previousHolds && app.previousConsumerSecret !== null && previous.includes(true))
}

/**
 * The app whose API key and secret are the name and password of HTTP Basic (§4.3, §5.3). Every refusal is 403 code 99,
 * the same for an unknown key and a wrong secret.
 */
export const appPassword: Auth<AppCaller, { apps: AppStore; now: () => number }> = {
  name: 'appPassword',
  scheme: { type: 'http', scheme: 'basic', description: 'API key as the user name, API key secret as the password.' },
  async authenticate(request, { apps, now }) {
    const sent = credentialsOf(request)
    if (!sent) throw coded(99)
    const app = (await apps.byConsumerKey(sent.key)) ?? (await apps.byConsumerKey(decoded(sent.key)))
    const previousHolds = (app?.previousSecretUntilMs ?? 0) > now()
    const matches = secretMatches(app ?? NOBODY, sent.secret, previousHolds)
    if (!app || !matches || app.suspended) throw coded(99)
    return { app, rateKey: `app:${app.id}` }
  },
}
