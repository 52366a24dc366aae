import { headerOf, type RawRequest } from '../declare/raw-request.ts'

/** What all signatures of one caller have in common. */
const KEYS = /oauth_(?:consumer_key|token)="[^"]*"/g

/**
 * Whose work a request is while its credentials are not checked: that of one peer with the same credentials. Who sends false ones in
 * another's name from elsewhere, or a token that is not known, takes no turns of the other's.
 */
export function claimedOwner(request: Pick<RawRequest, 'headers' | 'remoteAddress'>): string {
  const credentials = headerOf(request, 'authorization') ?? ''
  const claimed = /^oauth /i.test(credentials) ? (credentials.match(KEYS) ?? []).join() : credentials
  return `${request.remoteAddress} ${claimed}`
}
