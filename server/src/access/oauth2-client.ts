import type { Auth } from '../api/declare/auth.ts'
import { because, oauth2Problem, type Problem } from '../api/declare/problem.ts'
import { headerOf, type RawRequest } from '../api/declare/raw-request.ts'
import type { More } from '../api/declare/why.ts'
import { equalInConstantTime } from '../lib/crypto.ts'
import type { App, AppStore } from '../storage/apps.ts'
import type { AppCaller } from './app-bearer.ts'
import type { ClientOriginOf } from './client-origin.ts'
import type { Attempt, FailedAttempts } from './failed-attempts.ts'
import { clientNetworkOf } from './networks.ts'
import { isForm } from './oauth1/read-signed.ts'
import type { ReportRefused } from './refused-credentials.ts'
import { isPadded, nameAndPassword, PADDED, percentDecoded } from './sent-credentials.ts'
import { suspendedApp } from './suspended-app.ts'

const CONFIDENTIAL =
  "A confidential client sends its client id and client secret by HTTP Basic: curl -u '<client id>:<client secret>' …. A client_secret in the body is not read."

const PUBLIC = 'A public client has no secret: it sends client_id in the body, and no Authorization header.'

/** Why a request names no OAuth 2.0 client. */
function noClient(request: RawRequest): [reason: string, more: More] {
  const header = headerOf(request, 'authorization')
  const reason =
    header === undefined
      ? 'The request names no client: it has neither an `Authorization: Basic` header nor a client_id in the body.'
      : 'The Authorization header is not HTTP Basic with `client id:client secret` in base64.'
  return [reason, () => [CONFIDENTIAL, PUBLIC]]
}

/** Why a confidential client is refused that sent its id alone. */
const noClientSecret = ({ id, name }: App): [reason: string, more: More] => [
  'This is a confidential client, and the request has no `Authorization: Basic` header with its secret.',
  () => [CONFIDENTIAL, `PATCH /operator/apps/${id} with {"oauth2_client_type": "public"} makes ${name} a client without a secret.`],
]

/** Sentences that say what a text is that was sent as a client id and is none. */
async function whyNoSuchClient(id: string, apps: Pick<AppStore, 'byConsumerKey'>) {
  const app = await apps.byConsumerKey(percentDecoded(id))
  if (!app) return ['Compare it with the one that the operator gave you; it may also be that of another environment.']
  const own = app.oauth2ClientId === null ? 'has no OAuth 2.0 client' : `has the client id ${app.oauth2ClientId}`
  return [`This is the consumer key of the app ${app.name}, which ${own}. The consumer key is for POST /oauth2/token and for signatures.`]
}

/** Sentences that say what a text is that was sent as the client secret of an app and is not. */
function whyWrongClientSecret(app: App, sent: string): string[] {
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

/** Compared when no confidential client has the id, so that the response takes as long. */
const NO_SECRET = 'no client has this secret'

interface Credentials {
  id: string
  secret: string
}

/** Client id and secret of a header (RFC 6749, section 2.3.1). */
function basicOf(header: string): Credentials | undefined {
  const found = nameAndPassword(header)
  return found && { id: found.name, secret: found.password }
}

/** The `client_id` in the body, which the endpoint reads as a whole and judges later. Undefined when there is none, or none can be read. */
function idInBody(request: RawRequest): string | undefined {
  const text = request.body?.toString('utf8') ?? ''
  const id = isForm(request) ? new URLSearchParams(text).get('client_id') : idInJson(text)
  return typeof id === 'string' && id !== '' && !id.includes('\u0000') ? id : undefined
}

function idInJson(text: string): unknown {
  try {
    return (JSON.parse(text) as { client_id?: unknown } | null)?.client_id
  } catch {
    return undefined
  }
}

/** Compares with the secret as it was sent, decoded, and decoded as a form, where `+` is a space; always all. */
const isSecret = (sent: string, secret: string): boolean =>
  [sent, percentDecoded(sent), percentDecoded(sent.replaceAll('+', ' '))].map((each) => equalInConstantTime(each, secret)).includes(true)

interface Services {
  apps: AppStore
  originOf: ClientOriginOf
  failedAttempts: FailedAttempts
  reportRefused: ReportRefused
}

/** In the words of public practice. */
const MISSING = 'Missing valid authorization header'

const WRONG = 'The client id or the client secret is wrong.'

/** The app of an id; of the id percent-encoded or not. Both are always looked up. */
async function clientOf(id: string, { apps }: Services): Promise<App | undefined> {
  const found = await Promise.all([...new Set([id, percentDecoded(id)])].map((each) => apps.byOAuth2ClientId(each)))
  return found.find((app) => app !== undefined)
}

/** A confidential client proves its secret; a public one has none to send. */
function isProven(app: App | undefined, { secret }: Credentials): boolean {
  const isRight = isSecret(secret, app?.oauth2ClientSecret ?? NO_SECRET)
  return app?.oauth2ClientType === 'public' ? secret === '' : isRight && app?.oauth2ClientSecret != null
}

const wrongClient = (problem: Problem, app: App | undefined, { id, secret }: Credentials, { apps }: Services): Problem =>
  app
    ? because(problem, 'The client secret is wrong.', () => whyWrongClientSecret(app, secret))
    : because(problem, 'No app has this client id.', () => whyNoSuchClient(id, apps))

/**
 * Authenticates an OAuth 2.0 client (RFC 6749, section 2.3): a confidential one by HTTP Basic, a public one by `client_id` in the body; the id
 * may come in both if it is the same. 401 alike for an unknown client and a wrong secret; 429 after too many of them.
 */
export const oauth2Client: Auth<AppCaller, Services> = {
  name: 'oauth2Client',
  scheme: {
    type: 'http',
    scheme: 'basic',
    description:
      'OAuth 2.0 client id as the user name, client secret as the password. A public client sends `client_id` in the body instead.',
  },
  async authenticate(request, services) {
    const { originOf, failedAttempts, reportRefused } = services
    const { address, origins } = originOf(request)
    const challenge = { 'www-authenticate': `Basic realm="${origins[0]}"` }
    const header = headerOf(request, 'authorization')
    const basic = header === undefined ? undefined : basicOf(header)
    const inBody = idInBody(request)
    const id = basic?.id ?? inBody
    const missing = () => oauth2Problem('unauthorized_client', MISSING, challenge)
    if (id === undefined || (header !== undefined && !basic)) throw because(missing(), ...noClient(request))
    if (basic && inBody !== undefined && ![basic.id, percentDecoded(basic.id)].includes(inBody))
      throw oauth2Problem('invalid_request', 'client_id in the body differs from that of the authorization header.')

    const attempt: Attempt = { kind: 'client_secret', address, key: percentDecoded(id) }
    const app = await clientOf(id, services)
    // A public client has no secret to guess: it is not refused for what its neighbours sent.
    const isPublic = app?.oauth2ClientType === 'public' && !basic?.secret
    if (!isPublic) failedAttempts.assertOpen(attempt)
    const refused = async (problem: Problem) => {
      reportRefused('client secret', address)
      return failedAttempts.refusal(attempt, problem)
    }
    if (basic && !isProven(app, basic))
      throw await refused(wrongClient(oauth2Problem('invalid_client', WRONG, challenge), app, basic, services))
    if (!app) throw await refused(because(missing(), 'No app has this client id.', () => whyNoSuchClient(id, services.apps)))
    if (!basic && app.oauth2ClientType !== 'public') throw await refused(because(missing(), ...noClientSecret(app)))
    if (basic && !isPublic) failedAttempts.succeeded(attempt)
    if (app.suspended) throw suspendedApp(oauth2Problem('invalid_client', 'The app is suspended.', challenge), app)
    return { app, rateKey: `app:${app.id}:${clientNetworkOf(address)}` }
  },
}
