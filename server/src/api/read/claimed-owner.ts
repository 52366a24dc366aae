import { headerOf, type RawRequest } from '../declare/raw-request.ts'

/** What all signatures of one caller have in common. */
const KEYS = /oauth_(?:consumer_key|token)="[^"]*"/g

/**
 * Whose work a request is while its credentials are not checked: that of one network of clients with the same credentials. Who sends
 * another's from elsewhere takes no turns of the other's.
 */
export function claimedOwner(request: Pick<RawRequest, 'headers'>, network: string): string {
  const credentials = headerOf(request, 'authorization') ?? ''
  const claimed = /^oauth\s/i.test(credentials) ? (credentials.match(KEYS) ?? []).join() : credentials
  return `${network} ${claimed}`
}
