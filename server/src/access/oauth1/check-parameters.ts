import type { Code } from '../../api/declare/codes.ts'
import { cutText } from '../../lib/text.ts'

const MAX_QUOTE_LENGTH = 50

const NEEDED = ['oauth_consumer_key', 'oauth_nonce', 'oauth_signature', 'oauth_signature_method', 'oauth_timestamp']

/** RFC 5849 has only 1.0; the `oauth` package on npm is documented with 1.0A. */
const VERSIONS: ReadonlySet<string> = new Set(['1.0', '1.0A'])

/** Visible ASCII (§4.3), with a limit because it is stored. */
const NONCE = /^[!-~]{1,255}$/
const TIMESTAMP = /^\d{1,12}$/

/** Checks the OAuth parameters by themselves. Undefined if they are valid. */
export function checkParameters(oauth: ReadonlyMap<string, string>, needsToken: boolean): [code: Code, reason: string] | undefined {
  const missing = [...NEEDED, ...(needsToken ? ['oauth_token'] : [])].filter((name) => !oauth.get(name))
  if (missing.length > 0) return [215, `${missing.join(', ')} ${missing.length > 1 ? 'are' : 'is'} missing.`]
  const method = oauth.get('oauth_signature_method')
  if (method !== 'HMAC-SHA1') return [32, `oauth_signature_method is ${cutText(method ?? '', MAX_QUOTE_LENGTH)}; only HMAC-SHA1 is served.`]
  const version = oauth.get('oauth_version') ?? '1.0'
  if (!VERSIONS.has(version)) return [32, `oauth_version is ${cutText(version, MAX_QUOTE_LENGTH)}; it must be 1.0 or 1.0A, or left out.`]
  if (!NONCE.test(oauth.get('oauth_nonce')!)) return [32, 'oauth_nonce must be 1 to 255 visible ASCII characters.']
  if (!TIMESTAMP.test(oauth.get('oauth_timestamp')!)) return [135, 'oauth_timestamp must be whole seconds since 1970.']
  return undefined
}
