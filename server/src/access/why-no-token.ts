import type { AppStore } from '../storage/apps.ts'
import { kindOfToken } from './oauth2-token-format.ts'
import type { OperatorOf } from './operator-of.ts'

/** What is asked to say why a bearer token is none. */
export interface WhyNoTokenServices {
  apps: Pick<AppStore, 'byConsumerKey' | 'byOAuth2ClientId'>
  /** Undefined without a configured token. */
  operatorOf?: OperatorOf | undefined
}

export const APP_TOKEN = /^AAAA/
const OAUTH1_TOKEN = /^\d+-/

const ofUser = 'It was revoked, or its grant ended, or it is of another server. Refresh it, or sign the user in again.'

const kinds = {
  at: ['This is the access token of a user (OAuth 2.0), and it is not valid.', ofUser],
  rt: ['This is a refresh token.', 'Exchange it for an access token at POST /2/oauth2/token with grant_type=refresh_token.'],
  ac: ['This is an authorization code.', 'Exchange it for an access token at POST /2/oauth2/token with grant_type=authorization_code.'],
}

/** Sentences that say what a text is that was sent as a bearer token and is none. */
export async function whyNoToken(token: string, { apps, operatorOf }: WhyNoTokenServices): Promise<readonly string[]> {
  const kind = kindOfToken(token)
  if (kind !== undefined) return kinds[kind]
  if (operatorOf?.(token)) return ['This is an operator token. It is for the paths below /operator/ alone.']
  if (OAUTH1_TOKEN.test(token))
    return [
      'This looks like an access token of OAuth 1.0a. It is not sent as a bearer token: the request is signed with it and its secret.',
    ]
  const app = (await apps.byConsumerKey(token)) ?? (await apps.byOAuth2ClientId(token))
  if (app) return [`This is a key of the app ${app.name}, and no token.`, 'Get the bearer token of the app at POST /oauth2/token.']
  if (APP_TOKEN.test(token))
    return [
      'It looks like the bearer token of an app: it was invalidated, or ended with the consumer secret, or is that of another database.',
      'Get the current one at POST /oauth2/token with grant_type=client_credentials.',
    ]
  return ['It does not look like any token of this server.', 'Get the bearer token of the app at POST /oauth2/token.']
}
