import { ChallengeRefused } from './challenge-refused.ts'
import { checkSecrets } from './check-secrets.ts'
import { sign } from './sign.ts'

const TOKEN_FORM = /^[A-Za-z0-9+/=_-]{16,128}$/

/**
 * What a challenge (CRC) wants to hear: `{response_token}`, the signature of its token (§4.2).
 *
 * Events are signed with the same key in the same way. So whoever may have any text signed as a challenge may forge an
 * event: a token that does not look like one, or that is JSON (a long number is), throws a ChallengeRefused.
 */
export function answerChallenge({ crcToken, secret }: { crcToken: unknown; secret: string }): { response_token: string } {
  checkSecrets([secret])
  if (typeof crcToken !== 'string' || !TOKEN_FORM.test(crcToken) || isJson(crcToken)) {
    throw new ChallengeRefused(
      400,
      'crc_token does not look like a challenge token: 16 to 128 characters of A-Z a-z 0-9 + / = _ -, not JSON.',
    )
  }
  return { response_token: sign(secret, crcToken) }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
