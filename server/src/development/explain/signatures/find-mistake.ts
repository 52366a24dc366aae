import type { RejectedSignature } from '../../../access/oauth1/verify.ts'
import { describeClock } from './describe-clock.ts'
import { findSigning } from './find-signing.ts'
import { rightSigning, type Signing } from './signing.ts'

/** The likely mistake of a rejected request. Its signings contain plain-text secrets. */
export interface Mistake {
  /** What is wrong and what to do, in sentences. */
  sentences: readonly string[]
  /** What the server compared the signature with; undefined if it did not get that far. */
  right?: Signing
  /** What the client signed instead, if that was found. */
  signed?: Signing
}

const ACCESS_TOKEN = /^\d+-/

const unknownKey = (key: string) => [
  'No app has this oauth_consumer_key.',
  key.trim() === key
    ? 'Compare it with the one that the operator gave you; it may also be that of another environment.'
    : 'It has white space at its beginning or end, as one that was read from a file.',
]

/** Why a token is invalid, according to its form and its app. */
function unknownToken({ app, tokenAppId, isUserDisabled, signed, request }: RejectedSignature): string[] {
  if (tokenAppId !== undefined && tokenAppId !== app?.id)
    return ['The oauth_token is that of another app.', 'A token goes with the consumer key that asked for it.']
  if (isUserDisabled)
    return ['The user of the oauth_token is disabled.', 'PATCH /operator/users/:user_id with {"disabled": false} enables them again.']
  const isAccessToken = ACCESS_TOKEN.test(signed?.oauth.get('oauth_token') ?? '')
  const takesRequestTokens = request.target.startsWith('/oauth/access_token')
  if (isAccessToken && takesRequestTokens) return ['This looks like an access token; here the request token is exchanged for one.']
  if (!isAccessToken && !takesRequestTokens)
    return ['This does not look like an access token. A request token must be exchanged for one first, at /oauth/access_token.']
  const unknown = takesRequestTokens
    ? 'It was already exchanged, is older than 15 minutes, or never existed.'
    : 'It was revoked or never existed.'
  return ['There is no such oauth_token.', `${unknown} Sign the user in again.`]
}

const wrongSecret = (hasToken: boolean) => [
  'No known mistake explains this signature.',
  `So the client's ${hasToken ? 'consumer secret or token secret' : 'consumer secret'} differs from the server's, or the request was changed on its way.`,
]

/** A correct signature that was rejected for another reason. */
const otherReason = ({ code, reason }: RejectedSignature) =>
  code === 32 ? [reason, 'Each request needs a nonce of its own: one that is sent again must be signed again.'] : [reason]

/** The likely mistake, found by trying what clients might have signed instead. */
export function findMistake(refusal: RejectedSignature): Mistake {
  const { code, reason, signed, app, tokenSecret } = refusal
  if (!signed || tokenSecret === undefined) return { sentences: [reason] }
  const { oauth } = signed
  const right = rightSigning(refusal, signed)
  if (code === 135) return { sentences: describeClock(Number(oauth.get('oauth_timestamp')) * 1000, refusal), right }
  if (!app) return { sentences: unknownKey(oauth.get('oauth_consumer_key')!), right }
  if (code === 89) return { sentences: unknownToken(refusal), right }
  const found = findSigning(right, refusal)
  if (!found) return { sentences: wrongSecret(tokenSecret.length > 0), right }
  const sentences = found.mistakes
    .map(({ message }) => (typeof message === 'string' ? message : message(found.signing, right)))
    .filter(Boolean)
  if (sentences.length === 0) return { sentences: otherReason(refusal), right }
  return { sentences, right, signed: found.signing }
}
