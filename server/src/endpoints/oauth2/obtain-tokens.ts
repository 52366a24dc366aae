import { oauth2Client } from '../../access/oauth2-client.ts'
import { kindOfToken, newAccessToken, newGrantId, type RefreshTokens } from '../../access/oauth2-token-format.ts'
import type { ReportReused } from '../../access/reused-tokens.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { because, oauth2Problem, type Problem } from '../../api/declare/problem.ts'
import { OFFLINE, parseScopes } from '../../api/declare/scopes.ts'
import { integer, object, oneOf, optional, text } from '../../api/declare/words.ts'
import { isChallengeOf, isVerifier, isVerifierOf, VERIFIER_RULE } from '../../lib/pkce.ts'
import { cutText } from '../../lib/text.ts'
import { HOUR_MS } from '../../lib/time.ts'
import type { App } from '../../storage/apps.ts'
import type { AuthorizationCode, GivenTokens, NewTokens, OAuth2Grants, Ungiven } from '../../storage/oauth2-grants.ts'

/** Why an authorization code gave no tokens: a reason, and what to do. */
const whyNoCode: Record<Ungiven | 'reused', readonly [reason: string, ...more: string[]]> = {
  unknown: [
    'There is no such authorization code.',
    'It never was, was cut on its way, or has expired: a code is valid for 30 seconds.',
    'Sign the user in again.',
  ],
  reused: [
    'The authorization code was exchanged before, and what the first exchange gave has ended now.',
    'A code is good for one exchange, because whoever sends it again may have stolen it.',
    'Look for a redirect that is followed twice, or a client that repeats its call. Sign the user in again.',
  ],
  foreign: ['The authorization code was given to another app.', 'Exchange it with the client id of the authorization request.'],
  expired: [
    'The authorization code has expired: it is valid for 30 seconds.',
    'Sign the user in again, and exchange the code as soon as it arrives.',
  ],
  disabled: ['The user who approved is disabled.'],
  rotated: ['There is no such authorization code.'],
}

/** Why a refresh token gave no tokens. */
const whyNoRefresh: Record<Ungiven | 'reused', readonly [reason: string, ...more: string[]]> = {
  unknown: [
    'The grant of this refresh token has ended.',
    'It was revoked, or a former refresh token was used again. Sign the user in again.',
  ],
  reused: [
    'The refresh token was used before, and its grant has ended now with all its tokens.',
    'Each refresh gives a new refresh token, and whoever sends the former one may have stolen it. Store the new one. Sign the user in again.',
  ],
  foreign: ['The refresh token was given to another app.', 'Refresh it with the client that got it.'],
  expired: ['The refresh token has expired: it is valid for 180 days since its last use.', 'Sign the user in again.'],
  disabled: ['The user who approved is disabled.'],
  rotated: [
    'The refresh token was replaced a moment ago, by another refresh.',
    'The grant still stands: use the refresh token that the other refresh got. From 10 seconds after the replacement on, the former one ends the grant.',
  ],
}

const MAX_QUOTE_LENGTH = 200

/** What a client did with its verifier, as far as that can be found out. */
function whyWrongVerifier({ challenge, challengeMethod }: AuthorizationCode, verifier: string): string[] {
  const [asked, made] = challengeMethod === 'plain' ? (['plain', 'S256'] as const) : (['S256', 'plain'] as const)
  if (isChallengeOf(challenge, made, verifier))
    return [
      `The authorization request had the method ${asked}, but its code_challenge was made with ${made}.`,
      asked === 'plain' ? 'Without code_challenge_method the method is plain.' : 'Send BASE64URL(SHA256(code_verifier)) without padding.',
    ]
  return [`The method was ${asked}.`, 'The code_verifier must be the one from which the code_challenge of this very sign-in was made.']
}

/** Why a request may not exchange a code, in the words of public practice; undefined when it may (RFC 6749, section 4.1.3). */
function refuseExchange(redirectUri: string, verifier: string, code: AuthorizationCode): Problem | undefined {
  const refused = (says: string) => oauth2Problem('invalid_request', says)
  if (redirectUri !== code.redirectUri)
    return because(
      refused('Value passed for the redirect uri did not match the uri of the authorization code.'),
      `redirect_uri is ${cutText(redirectUri, MAX_QUOTE_LENGTH)}, and the authorization request had ${code.redirectUri}.`,
      () => ['Both must be the same, byte by byte.'],
    )
  if (!isVerifier(verifier)) return refused(`Value passed for the code verifier ${VERIFIER_RULE}.`)
  if (isVerifierOf(code.challenge, code.challengeMethod, verifier)) return undefined
  return because(
    refused('Value passed for the code verifier did not match the code challenge.'),
    'The code_verifier is not that of the code_challenge.',
    () => whyWrongVerifier(code, verifier),
  )
}

const ACCESS_MS = 2 * HOUR_MS

/** A refresh token that is not used for so long expires, and with it the grant. */
const REFRESH_MS = 180 * 24 * HOUR_MS

/** The tokens of a grant with these scopes; only with `offline.access` a refresh token among them. */
function newTokens(refreshTokens: RefreshTokens, grantId: string, scopes: readonly string[], nowMs: number): NewTokens {
  const isOffline = scopes.includes(OFFLINE)
  return {
    access: newAccessToken(nowMs),
    accessUntilMs: nowMs + ACCESS_MS,
    refresh: isOffline ? refreshTokens.create(grantId, nowMs) : null,
    grantUntilMs: nowMs + (isOffline ? REFRESH_MS : ACCESS_MS),
  }
}

interface Services {
  oauth2Grants: OAuth2Grants
  refreshTokens: RefreshTokens
  reportReused: ReportReused
  now: () => number
}

interface Sent {
  grant_type?: string
  code?: string
  redirect_uri?: string
  code_verifier?: string
  refresh_token?: string
  scope?: string
}

/** Parameters without a value count as left out (RFC 6749, section 3.2). */
function required(sent: Sent, name: keyof Sent): string {
  const value = sent[name]
  if (value) return value
  throw oauth2Problem('invalid_request', `Missing required parameter [${name}].`)
}

/** In the words of public practice. */
const invalidToken = () => oauth2Problem('invalid_request', 'Value passed for the token was invalid.')

/** Alike whatever is wrong with the code. */
function invalidCode(why: Ungiven | 'reused'): Problem {
  const [reason, ...more] = whyNoCode[why]
  return because(oauth2Problem('invalid_request', 'Value passed for the authorization code was invalid.'), reason, () => more)
}

/** The same of a refresh token. */
function invalidRefresh(why: Ungiven | 'reused'): Problem {
  const [reason, ...more] = whyNoRefresh[why]
  return because(invalidToken(), reason, () => more)
}

/** What a text is that was sent as a refresh token and has not the form of one. */
function noRefreshToken(sent: string): Problem {
  const more = { at: 'It is an access token.', ac: 'It is an authorization code.', rt: '' }[kindOfToken(sent) ?? 'rt']
  return because(invalidToken(), 'This is not a refresh token of this server.', () => (more ? [more] : []))
}

const answerOf = ({ scopes }: Pick<GivenTokens, 'scopes'>, { access, refresh }: NewTokens) => ({
  token_type: 'bearer' as const,
  expires_in: ACCESS_MS / 1000,
  access_token: access,
  scope: scopes.join(' '),
  ...(refresh !== null && { refresh_token: refresh }),
})

async function exchangeCode(sent: Sent, app: App, { oauth2Grants, refreshTokens, reportReused, now }: Services) {
  const code = required(sent, 'code')
  const [redirectUri, verifier] = [required(sent, 'redirect_uri'), required(sent, 'code_verifier')]
  let refusal: Problem | undefined
  const refuse = (found: AuthorizationCode) => {
    refusal = refuseExchange(redirectUri, verifier, found)
    return refusal?.message
  }
  const grantId = newGrantId()
  let tokens: NewTokens | undefined
  const make = ({ scopes }: { scopes: string[] }) => {
    tokens = newTokens(refreshTokens, grantId, scopes, now())
    return { ...tokens, grantId }
  }
  const given = await oauth2Grants.exchangeCode(code, app.id, refuse, make, now())
  if (typeof given === 'object' && 'endedGrantId' in given) {
    reportReused({ reused: 'authorization code', appId: app.id, grantId: given.endedGrantId })
    throw invalidCode('reused')
  }
  if (typeof given === 'string') throw invalidCode(given)
  if ('refused' in given) throw refusal!
  return answerOf(given, tokens!)
}

async function refresh(sent: Sent, app: App, { oauth2Grants, refreshTokens, reportReused, now }: Services) {
  const refreshToken = required(sent, 'refresh_token')
  const named = refreshTokens.read(refreshToken)
  const scopes = sent.scope ? parseScopes(sent.scope) : undefined
  if (sent.scope && !scopes) throw oauth2Problem('invalid_scope', 'Value passed for the scope names an unknown scope.')
  if (!named) throw noRefreshToken(refreshToken)
  const tokens = newTokens(refreshTokens, named.grantId, [OFFLINE], now())
  const given = await oauth2Grants.refresh(
    { ...named, refreshToken, appId: app.id, isPublic: app.oauth2ClientType === 'public', scopes },
    tokens,
    now(),
  )
  if (given === 'wider') throw oauth2Problem('invalid_scope', 'Value passed for the scope is more than the user has approved.')
  if (typeof given === 'string') throw invalidRefresh(given)
  if ('endedGrantId' in given) {
    reportReused({ reused: 'refresh token', appId: app.id, grantId: given.endedGrantId })
    throw invalidRefresh('reused')
  }
  return answerOf(given, tokens)
}

const word = (description: string, secret = false) => optional(text({ min: 0, description, secret }))

export const obtainTokens = endpoint({
  name: 'obtainTokens',
  route: 'POST /2/oauth2/token',
  section: '§5',
  summary: 'Exchange an authorization code, or a refresh token, for an access token of a user (OAuth 2.0).',
  description:
    'A confidential client authenticates by HTTP Basic, a public one by `client_id`. A code is exchanged once, within 30 seconds; a second time ends what the first one gave. A refresh token comes with the scope `offline.access` and is replaced by each refresh; a former one ends the grant; that of a confidential client is only refused within 10 seconds of its replacement. An access token is valid for two hours, a refresh token for 180 days. `scope` may ask for less at a refresh, never for more.',
  auth: oauth2Client,
  rateLimit: 450,
  params: {
    grant_type: word('Required: `authorization_code` or `refresh_token`.'),
    code: word('Required for `authorization_code`.', true),
    redirect_uri: word('Required for `authorization_code`: that of the authorization request.'),
    code_verifier: word('Required for `authorization_code`: the verifier of its `code_challenge` (PKCE).', true),
    refresh_token: word('Required for `refresh_token`.', true),
    scope: word('For `refresh_token`: the scopes of the access token, with spaces between. Default: all that were granted.'),
    client_id: word('Required for a public client.'),
  },
  answer: object({
    token_type: oneOf(['bearer']),
    expires_in: integer({ description: 'In seconds.' }),
    access_token: text(),
    scope: { ...text({ description: 'With spaces between.' }), 'x-dialect': 'value' as const },
    refresh_token: optional(text()),
  }),
  async handle({ params, caller: { app } }, services: Services) {
    const grantType = required(params, 'grant_type')
    if (grantType === 'authorization_code') return exchangeCode(params, app, services)
    if (grantType === 'refresh_token') return refresh(params, app, services)
    throw oauth2Problem(
      'unsupported_grant_type',
      'grant_type must be authorization_code or refresh_token; POST /oauth2/token takes client_credentials.',
    )
  },
})
