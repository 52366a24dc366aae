import { isVerifier, isVerifierOf, VERIFIER_RULE } from '../../lib/pkce.ts'
import type { AuthorizationCode } from '../../storage/oauth2-grants.ts'

/** Why a request may not exchange a code, in the words of public practice; undefined when it may (RFC 6749, section 4.1.3). */
export const refuseExchange =
  (redirectUri: string, verifier: string) =>
  (code: AuthorizationCode): string | undefined => {
    if (redirectUri !== code.redirectUri) return 'Value passed for the redirect uri did not match the uri of the authorization code.'
    if (!isVerifier(verifier)) return `Value passed for the code verifier ${VERIFIER_RULE}.`
    const isRight = isVerifierOf(code.challenge, code.challengeMethod, verifier)
    return isRight ? undefined : 'Value passed for the code verifier did not match the code challenge.'
  }
