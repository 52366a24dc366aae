import type { RawRequest } from '../api/declare/raw-request.ts'
import type { UserTokenStore } from '../storage/user-tokens.ts'
import type { Attempt } from './failed-attempts.ts'
import { readSigned, Unreadable } from './oauth1/read-signed.ts'
import { refuseSignature, type SignatureServices, whyNoToken } from './oauth1/verify.ts'

export type RevokedTokenServices = Omit<SignatureServices, 'nonces'> & { userTokens: UserTokenStore }

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
 * a token is refused alike everywhere (§5.4, §7), whether there is such an app or not. It counts as a wrong signature. Any other signature
 * is left to the endpoint.
 */
export async function assertNotRevoked(request: RawRequest, services: RevokedTokenServices) {
  const { apps, userTokens, now, originOf, failedAttempts, refused } = services
  const signed = signedOf(request)
  const [key, token] = ['oauth_consumer_key', 'oauth_token'].map((name) => signed?.oauth.get(name))
  if (!key || !token) return
  const client = originOf(request)
  const attempt: Attempt = { kind: 'signature', address: client.address, key }
  failedAttempts.assertOpen(attempt)
  const [app, found] = await Promise.all([apps.byConsumerKey(key), userTokens.find(token)])
  if (found && found.token.appId === app?.id && !found.user.disabled) return
  const about = { request, client, signed, app, tokenAppId: found?.token.appId, nowMs: now() }
  throw await failedAttempts.refusal(attempt, refuseSignature({ code: 89, reason: whyNoToken(app), ...about }, refused))
}
