import { newCode } from '../../access/oauth2-token-format.ts'
import type { Page, Redirect } from '../../api/answer/page.ts'
import { OFFLINE, parseScopes, type Scope, scopeWords, unknownScopeOf } from '../../api/declare/scopes.ts'
import { optional, text } from '../../api/declare/words.ts'
import { type ChallengeMethod, challengeMethodOf, isChallenge } from '../../lib/pkce.ts'
import { SECOND_MS } from '../../lib/time.ts'
import type { App, AppStore } from '../../storage/apps.ts'
import type { OAuth2Grants } from '../../storage/oauth2-grants.ts'
import { cannotAskPage } from './approval-page.ts'
import type { ApprovalRequest } from './approval-request.ts'
import { howToAdd, notRegistered, redirectUrl, sayRegistered } from './callbacks.ts'

const CODE_MS = 30 * SECOND_MS
const MAX_STATE_LENGTH = 500

export interface AuthorizationServices {
  apps: AppStore
  oauth2Grants: OAuth2Grants
  now: () => number
  /** Whether the page says which callbacks are registered. */
  isExplained: boolean
}

const word = (description: string, example: string) => optional(text({ min: 0, description, example }))

/** The parameters of an authorization request, which the form repeats. They are judged by `findAuthorization`. */
export const authorizationWords = {
  response_type: word('Required: `code`.', 'code'),
  client_id: word('Required: the OAuth 2.0 client id of the app.', 'demo-oauth2-client'),
  redirect_uri: word('Required: a callback URL of the app, to the byte.', 'http://127.0.0.1:3009/cb'),
  scope: word('Required: scopes with spaces between.', 'post.read users.read'),
  state: word('Required: what the app gets back with the code, at most 500 characters.', 'of-the-app'),
  code_challenge: word('Required: 43 to 128 characters (PKCE).', 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'),
  code_challenge_method: word('`S256` or `plain`. Default: `plain`.', 'S256'),
}

export type SentAuthorization = { [Name in keyof typeof authorizationWords]?: string }

/** What an app will not be able to do without a scope. */
const without: Partial<Record<Scope, string>> = {
  'post.write': 'Post for you',
  'follows.write': 'Follow or unfollow accounts for you',
  'dm.read': 'See your direct messages',
  'dm.write': 'Send direct messages for you',
  'users.email': 'See your email address',
}

const notAsked = (scopes: readonly Scope[]): string[] => [
  ...Object.entries(without).flatMap(([scope, says]) => (scopes.includes(scope as Scope) ? [] : [says])),
  'See your password',
]

/** Sentences in the order of the table; that the app stays connected comes last. */
const asked = (scopes: readonly Scope[]): string[] =>
  (Object.keys(scopeWords) as Scope[])
    .filter((scope) => scopes.includes(scope))
    .sort((one, other) => Number(one === OFFLINE) - Number(other === OFFLINE))
    .map((scope) => scopeWords[scope])

/** The error of an authorization request that is sent to the app (RFC 6749, section 4.1.2.1). */
interface AuthorizationError {
  error: string
  error_description: string
}

const invalid = (error_description: string): AuthorizationError => ({ error: 'invalid_request', error_description })

interface Judged {
  scopes: Scope[]
  challenge: string
  challengeMethod: ChallengeMethod
}

const wrongScope = (scope: string) => {
  const unknown = unknownScopeOf(scope)
  return unknown === undefined ? 'scope is required, and may name known scopes only' : `scope names ${unknown}, which is not a scope`
}

function judge(sent: SentAuthorization): Judged | AuthorizationError {
  const { response_type, scope = '', state = '', code_challenge: challenge = '', code_challenge_method } = sent
  if (!response_type) return invalid('response_type is required')
  if (response_type !== 'code') return { error: 'unsupported_response_type', error_description: 'response_type must be code' }
  if (state === '' || state.length > MAX_STATE_LENGTH) return invalid(`state is required, with at most ${MAX_STATE_LENGTH} characters`)
  if (!isChallenge(challenge)) return invalid('code_challenge is required, with 43 to 128 letters, digits or -._~')
  const challengeMethod = challengeMethodOf(code_challenge_method || 'plain')
  if (!challengeMethod) return invalid('code_challenge_method must be S256 or plain')
  const scopes = parseScopes(scope)
  if (!scopes) return { error: 'invalid_scope', error_description: wrongScope(scope) }
  return { scopes, challenge, challengeMethod }
}

const refused = (...page: Parameters<typeof cannotAskPage>) => ({ refusal: cannotAskPage(...page) })

function unknownClient(app: App | undefined): { refusal: Page } {
  const reason = app ? 'The app is suspended.' : 'No app has this client_id.'
  return refused('client_id is not that of an app that may ask.', {
    reason,
    more: () => (app ? [] : ['It is the OAuth 2.0 client id, and not the consumer key. GET /operator/apps lists both.']),
  })
}

function wrongCallback({ id, callbackUrls }: App, sent: string, isExplained: boolean): { refusal: Page } {
  const more = [sayRegistered(callbackUrls), howToAdd(id, callbackUrls, sent)]
  const reason = sent === '' ? 'redirect_uri is missing.' : notRegistered('redirect_uri', sent)
  const shown = isExplained ? [reason, ...(sent === '' ? more.slice(0, 1) : more)] : []
  return refused('redirect_uri is not one of the callback URLs of the app.', { reason, more: () => more }, shown)
}

/** The app of a request whose callback can be trusted; else a page, because the browser must be led nowhere (RFC 6749, section 4.1.2.1). */
async function clientOf(
  { client_id, redirect_uri }: SentAuthorization,
  { apps, isExplained }: Pick<AuthorizationServices, 'apps' | 'isExplained'>,
): Promise<App | { refusal: Page }> {
  const app = client_id ? await apps.byOAuth2ClientId(client_id) : undefined
  if (!app || app.suspended) return unknownClient(app)
  const reason = 'redirect_uri has a fragment (#), which OAuth 2.0 does not allow.'
  if (redirect_uri?.includes('#')) return refused(reason, { reason })
  if (!redirect_uri || !app.callbackUrls.includes(redirect_uri)) return wrongCallback(app, redirect_uri ?? '', isExplained)
  return app
}

/** The parameters that were sent, by which page and form name the request. */
export const namedBy = (path: string, sent: SentAuthorization) => {
  const names = Object.keys(authorizationWords) as (keyof SentAuthorization)[]
  return { path, fields: Object.fromEntries(names.flatMap((name) => (sent[name] === undefined ? [] : [[name, sent[name]]]))) }
}

/** What an authorization request asks for; else where the browser is led, or the page that says why there is nothing to ask. */
export async function findAuthorization(
  path: string,
  sent: SentAuthorization,
  issuer: string | undefined,
  services: AuthorizationServices,
): Promise<ApprovalRequest | { refusal: Page | Redirect }> {
  const { oauth2Grants, now } = services
  const app = await clientOf(sent, services)
  if ('refusal' in app) return app
  const callback = sent.redirect_uri!
  const lead = (answer: Record<string, string>, cookie?: string): Redirect => {
    const state: Record<string, string> = sent.state ? { state: sent.state } : {}
    return { location: redirectUrl(callback, { ...state, ...answer, ...(issuer !== undefined && { iss: issuer }) }), cookie }
  }
  const judged = judge(sent)
  if ('error' in judged) return { refusal: lead({ ...judged }) }
  const { scopes, challenge, challengeMethod } = judged
  return {
    app,
    callback,
    asked: asked(scopes),
    not: notAsked(scopes),
    ...namedBy(path, sent),
    async allow(user, cookie) {
      const code = newCode(now())
      const approved = { appId: app.id, userId: user.id, scopes, redirectUri: callback, challenge, challengeMethod }
      const isApproved = await oauth2Grants.insertCode({ code, ...approved, expiresAtMs: now() + CODE_MS }, user, now())
      return isApproved ? lead({ code }, cookie) : undefined
    },
    deny: async () => lead({ error: 'access_denied' }),
  }
}
