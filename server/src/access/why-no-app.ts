import { headerOf, type RawRequest } from '../api/declare/raw-request.ts'
import type { More } from '../api/declare/why.ts'
import { equalInConstantTime } from '../lib/crypto.ts'
import type { App, AppStore } from '../storage/apps.ts'
import { isPadded, PADDED } from './padded.ts'
import { percentDecoded } from './percent-decoded.ts'

const PASTE = "Send both by HTTP Basic: curl -u '<consumer key>:<consumer secret>' …, which percent-encoding does not hurt."

const HOW = {
  none: 'The request has no `Authorization: Basic` header.',
  other: 'The Authorization header is not HTTP Basic.',
  unreadable: 'The `Authorization: Basic` header does not hold `key:secret` in base64.',
}

/** Why a request has no consumer key and secret, and how they are sent. */
export function noBasic(request: RawRequest): [reason: string, more: More] {
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
export async function whyNoSuchKey({ key, secret }: Sent, apps: Pick<AppStore, 'byConsumerKey' | 'byOAuth2ClientId'>) {
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
export function whyWrongSecret(app: App, sent: string): string[] {
  const secret = percentDecoded(sent)
  const isEqual = (other: string | null) => other !== null && equalInConstantTime(secret, other)
  if (secret === '') return ['It is empty. A variable that should hold it may be unset.']
  if (isEqual(app.previousConsumerSecret)) return ['This is the consumer secret from before the rotation. It has expired; use the new one.']
  if (isEqual(app.oauth2ClientSecret)) return ['This is the OAuth 2.0 client secret of the app. Here the consumer secret belongs.']
  if (isPadded(secret)) return [PADDED]
  return [`The key is that of the app ${app.name}. PATCH /operator/apps/${app.id} with {"rotate_secret": {}} gives it a new secret.`]
}
