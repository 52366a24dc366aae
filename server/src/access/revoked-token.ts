import type { RawRequest } from '../api/declare/raw-request.ts'
import type { UserTokenStore } from '../storage/user-tokens.ts'
import { readSigned, Unreadable } from './oauth1/read-signed.ts'
import { NO_SUCH_TOKEN, refuseSignature, type SignatureServices } from './oauth1/verify.ts'

export type RevokedTokenServices = Pick<SignatureServices, 'apps' | 'now' | 'originOf' | 'refused'> & { userTokens: UserTokenStore }

function signedOf(request: RawRequest) {
  try {
    return readSigned(request)
  } catch (error) {
    if (error instanceof Unreadable) return undefined
    throw error
  }
}

/**
 * Throws 401 code 89 for the token of a user that was revoked or never was, where an endpoint takes no token of a user: the use of such
 * a token is refused alike everywhere (§5.4, §7). Any other signature is left to the endpoint.
 */
export async function assertNotRevoked(request: RawRequest, { apps, userTokens, now, originOf, refused }: RevokedTokenServices) {
  const signed = signedOf(request)
  const [key, token] = ['oauth_consumer_key', 'oauth_token'].map((name) => signed?.oauth.get(name))
  if (!key || !token) return
  const [app, found] = await Promise.all([apps.byConsumerKey(key), userTokens.find(token)])
  if (!app || (found?.token.appId === app.id && !found.user.disabled)) return
  const about = { request, client: originOf(request), signed, app, tokenAppId: found?.token.appId, nowMs: now() }
  throw refuseSignature({ code: 89, reason: NO_SUCH_TOKEN, ...about }, refused)
}
