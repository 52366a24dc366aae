import { invalidRequest } from '../../../api/declare/problem.ts'
import { randomAlphanumeric } from '../../../lib/crypto.ts'
import type { App, AppChanges, OAuth2ClientType } from '../../../storage/apps.ts'

const CLIENT_ID_LENGTH = 32
const SECRET_LENGTH = 48

/** The OAuth 2.0 client of an app: one that is confidential has a secret. */
export type OAuth2Client = Pick<App, 'oauth2ClientId' | 'oauth2ClientType' | 'oauth2ClientSecret'>

/** What is chosen for a client; what is left out is generated. */
export interface GivenClient {
  oauth2_client_id?: string
  oauth2_client_type?: OAuth2ClientType
  oauth2_client_secret?: string
}

const newClientSecret = () => randomAlphanumeric(SECRET_LENGTH)

function assertNoPublicSecret(type: OAuth2ClientType, isSecretGiven: boolean, parameter: string): void {
  if (type === 'public' && isSecretGiven)
    throw invalidRequest([{ message: `$.${parameter}: a public client has no secret`, parameters: { [parameter]: [] } }])
}

/** The client of a new app: confidential, unless it is said to be public. */
export function newClient({ oauth2_client_id, oauth2_client_type = 'confidential', oauth2_client_secret }: GivenClient): OAuth2Client {
  assertNoPublicSecret(oauth2_client_type, oauth2_client_secret !== undefined, 'oauth2_client_secret')
  return {
    oauth2ClientId: oauth2_client_id ?? randomAlphanumeric(CLIENT_ID_LENGTH),
    oauth2ClientType: oauth2_client_type,
    oauth2ClientSecret: oauth2_client_type === 'public' ? null : (oauth2_client_secret ?? newClientSecret()),
  }
}

/** What a change of the type, or a new secret, does to the client of an app; an app without one gets one. */
export function clientChanges(
  app: OAuth2Client,
  type: OAuth2ClientType | undefined,
  rotation: { oauth2_client_secret?: string } | undefined,
): AppChanges {
  if (type === undefined && rotation === undefined) return {}
  const oauth2ClientType = type ?? app.oauth2ClientType ?? 'confidential'
  const oauth2ClientId = app.oauth2ClientId ?? randomAlphanumeric(CLIENT_ID_LENGTH)
  assertNoPublicSecret(oauth2ClientType, rotation !== undefined, 'rotate_oauth2_client_secret')
  if (oauth2ClientType === 'public') return { oauth2ClientId, oauth2ClientType, oauth2ClientSecret: null }
  const secret = rotation ? rotation.oauth2_client_secret : app.oauth2ClientSecret
  return { oauth2ClientId, oauth2ClientType, oauth2ClientSecret: secret ?? newClientSecret() }
}
