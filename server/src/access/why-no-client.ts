import { headerOf, type RawRequest } from '../api/declare/raw-request.ts'
import type { More } from '../api/declare/why.ts'
import { equalInConstantTime } from '../lib/crypto.ts'
import type { App, AppStore } from '../storage/apps.ts'
import { isPadded, PADDED } from './padded.ts'
import { percentDecoded } from './percent-decoded.ts'

const CONFIDENTIAL =
  "A confidential client sends its client id and client secret by HTTP Basic: curl -u '<client id>:<client secret>' …. A client_secret in the body is not read."

const PUBLIC = 'A public client has no secret: it sends client_id in the body, and no Authorization header.'

/** Why a request names no OAuth 2.0 client. */
export function noClient(request: RawRequest): [reason: string, more: More] {
  const header = headerOf(request, 'authorization')
  const reason =
    header === undefined
      ? 'The request names no client: it has neither an `Authorization: Basic` header nor a client_id in the body.'
      : 'The Authorization header is not HTTP Basic with `client id:client secret` in base64.'
  return [reason, () => [CONFIDENTIAL, PUBLIC]]
}

/** Why a confidential client is refused that sent its id alone. */
export const noClientSecret = ({ id, name }: App): [reason: string, more: More] => [
  'This is a confidential client, and the request has no `Authorization: Basic` header with its secret.',
  () => [CONFIDENTIAL, `PATCH /operator/apps/${id} with {"oauth2_client_type": "public"} makes ${name} a client without a secret.`],
]

/** Sentences that say what a text is that was sent as a client id and is none. */
export async function whyNoSuchClient(id: string, apps: Pick<AppStore, 'byConsumerKey'>) {
  const app = await apps.byConsumerKey(percentDecoded(id))
  if (!app) return ['Compare it with the one that the operator gave you; it may also be that of another environment.']
  const own = app.oauth2ClientId === null ? 'has no OAuth 2.0 client' : `has the client id ${app.oauth2ClientId}`
  return [`This is the consumer key of the app ${app.name}, which ${own}. The consumer key is for POST /oauth2/token and for signatures.`]
}

/** Sentences that say what a text is that was sent as the client secret of an app and is not. */
export function whyWrongClientSecret(app: App, sent: string): string[] {
  const secret = percentDecoded(sent)
  if (app.oauth2ClientType === 'public') return [PUBLIC]
  if (secret === '') return ['It is empty. A variable that should hold it may be unset.', CONFIDENTIAL]
  if (equalInConstantTime(secret, app.consumerSecret))
    return ['This is the consumer secret of the app. Here the OAuth 2.0 client secret belongs.']
  if (isPadded(secret)) return [PADDED]
  return [
    `The client id is that of the app ${app.name}. PATCH /operator/apps/${app.id} with {"rotate_oauth2_client_secret": {}} gives it a new secret.`,
  ]
}
