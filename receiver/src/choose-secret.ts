import { ChallengeRefused } from './challenge-refused.ts'
import { checkSecrets } from './check-secrets.ts'
import { signingSecret } from './signing-secret.ts'

/**
 * The secret to answer a challenge with, when several apps share one callback URL: the one whose signature over the
 * query the header carries (§4.2, §6). `query` is the query as it came over the wire, undecoded.
 *
 * Without a header a single secret is the one; several cannot be told apart. Throws a ChallengeRefused if no secret fits.
 */
export function chooseSecret({ header, query, secrets }: { header: unknown; query: string; secrets: readonly string[] }): string {
  checkSecrets(secrets)
  if (header === undefined || header === null) return onlyOne(secrets)
  for (const message of signedParts(query)) {
    const secret = signingSecret(header, message, secrets)
    if (secret !== undefined) return secret
  }
  throw new ChallengeRefused(401, 'The signature of the challenge was made with none of the consumer secrets given here.')
}

function onlyOne(secrets: readonly string[]): string {
  if (secrets.length === 1) return secrets[0]!
  throw new ChallengeRefused(401, 'The challenge carries no signature, so which of the several consumer secrets it is for cannot be told.')
}

/** `crc_token=…&nonce=…`, and before it, if the callback URL has parameters of its own, the whole query. */
function signedParts(query: string): string[] {
  const whole = query.replace(/^\?/, '')
  const appended = /&(crc_token=.*)$/s.exec(whole)?.[1]
  return appended === undefined ? [whole] : [whole, appended]
}
