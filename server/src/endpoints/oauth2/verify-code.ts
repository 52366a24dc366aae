import { oauth2Problem } from '../../api/declare/oauth2-problem.ts'
import { because, type Problem } from '../../api/declare/problem.ts'
import { isChallengeOf, isVerifier, isVerifierOf, VERIFIER_RULE } from '../../lib/pkce.ts'
import { cutText } from '../../lib/text.ts'
import type { AuthorizationCode } from '../../storage/oauth2-grants.ts'

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
export function refuseExchange(redirectUri: string, verifier: string, code: AuthorizationCode): Problem | undefined {
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
