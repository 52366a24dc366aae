import type { Transaction } from 'kysely'
import { sha256Hex } from '../../../lib/crypto.ts'
import type { NamedGrant } from '../../oauth2-grants.ts'
import type { Database } from '../schema.ts'

/** Deletes the grant of an access token, of its refresh token, or of a former one that was issued for it. */
export function endGrantOfToken(trx: Transaction<Database>, { token, named }: { token: string; named?: NamedGrant }) {
  const sha256 = sha256Hex(token)
  const ofAccess = trx.selectFrom('oauth2_access_tokens').select('grant_id').where('token_sha256', '=', sha256)
  return trx
    .deleteFrom('oauth2_grants')
    .where((grant) =>
      grant.or([
        grant('refresh_sha256', '=', sha256),
        grant('id', 'in', ofAccess),
        ...(named?.wasIssued ? [grant('id', '=', named.grantId)] : []),
      ]),
    )
}
