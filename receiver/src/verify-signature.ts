import { checkSecrets } from './check-secrets.ts'
import { signingSecret } from './signing-secret.ts'

/**
 * Whether `header`, `sha256=<base64>`, is the signature of exactly these body bytes with one of the consumer secrets (§4.2).
 *
 * `body` is what came over the wire, as bytes or as text (taken as UTF-8), before any parsing. A header or body of
 * another kind is false, whatever was sent; only unusable `secrets` throw, a TypeError.
 */
export function verifySignature({ header, body, secrets }: { header: unknown; body: unknown; secrets: readonly string[] }): boolean {
  checkSecrets(secrets)
  if (typeof body !== 'string' && !(body instanceof Uint8Array)) return false
  return signingSecret(header, body, secrets) !== undefined
}
