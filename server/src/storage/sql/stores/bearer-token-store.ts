import type { Clock } from '../../../lib/clock.ts'
import { sha256Hex } from '../../../lib/crypto.ts'
import type { Seal } from '../../../lib/seal.ts'
import { type App, isVersionValid } from '../../apps.ts'
import type { BearerTokenStore } from '../../bearer-tokens.ts'
import type { Row } from '../schema.ts'
import { announce, repeated, type SqlDatabase, unannounced, type Written } from '../sql-database.ts'
import { openApp } from './app-row.ts'
import { lockApp } from './app-store.ts'
import { sealedColumns } from './sealed-columns.ts'

const { purpose: TOKEN } = sealedColumns.bearerToken

/** An app's row with the version of the secret that its token was given for. */
export type AppOfToken = Row<'apps'> & { given_to: number }

/** The app of a token, unless the secret that the token was given for is invalid. */
export function openAppOfToken(seal: Seal, row: AppOfToken, nowMs: number): App | undefined {
  const app = openApp(seal, row)
  return isVersionValid(app, row.given_to, nowMs) ? app : undefined
}

export function createBearerTokenStore(
  { db, flavour, write, inExclusiveTransaction }: SqlDatabase,
  seal: Seal,
  clock: Clock,
): BearerTokenStore {
  const storedToken = (from: SqlDatabase['db'], appId: string) =>
    from
      .selectFrom('apps')
      .leftJoin('bearer_tokens', 'app_id', 'id')
      .select(['token_sealed', 'bearer_tokens.secret_version as givenTo', 'apps.secret_version as secretVersion'])
      .select('previous_secret_until_ms as previousSecretUntilMs')
      .where('id', '=', appId)
      .executeTakeFirst()

  type StoredToken = NonNullable<Awaited<ReturnType<typeof storedToken>>>

  /** The token, if it is valid. */
  const validToken = (found: StoredToken) =>
    found.token_sealed !== null && found.givenTo !== null && isVersionValid(found, found.givenTo, clock.now())
      ? { token: seal.open(TOKEN, found.token_sealed), givenTo: found.givenTo }
      : undefined

  /** Stores a token as the valid one, or lowers the version that the valid one was given for. */
  const give = (appId: string, candidate: string, secretVersion: number) =>
    inExclusiveTransaction(lockApp(flavour, appId), async (trx): Promise<Written<string | undefined>> => {
      const found = await storedToken(trx, appId)
      if (!found || !isVersionValid(found, secretVersion, clock.now())) return unannounced(undefined)
      const { token, givenTo } = validToken(found) ?? { token: candidate, givenTo: secretVersion }
      const row = {
        token_sha256: sha256Hex(token),
        token_sealed: seal.seal(TOKEN, token),
        secret_version: Math.min(givenTo, secretVersion),
      }
      await trx
        .insertInto('bearer_tokens')
        .values({ app_id: appId, ...row })
        .onConflict((conflict) => conflict.column('app_id').doUpdateSet(row))
        .execute()
      return announce(token, { kind: 'bearer-token', appId })
    })

  return {
    async obtain(appId, candidate, secretVersion) {
      const found = await storedToken(db, appId)
      const { token, givenTo } = (found && validToken(found)) ?? { givenTo: Number.POSITIVE_INFINITY }
      return token !== undefined && givenTo <= secretVersion ? token : give(appId, candidate, secretVersion)
    },
    async appOf(token) {
      const row = await db
        .selectFrom('bearer_tokens')
        .innerJoin('apps', 'apps.id', 'bearer_tokens.app_id')
        .selectAll('apps')
        .select('bearer_tokens.secret_version as given_to')
        .where('token_sha256', '=', sha256Hex(token))
        .executeTakeFirst()
      return row && openAppOfToken(seal, row, clock.now())
    },
    invalidate: (appId, token) =>
      write(async (trx) => {
        const deletion = trx.deleteFrom('bearer_tokens').where('app_id', '=', appId).where('token_sha256', '=', sha256Hex(token))
        const { numDeletedRows } = await deletion.executeTakeFirst()
        return numDeletedRows === 1n ? announce(true, { kind: 'bearer-token', appId }) : repeated(false)
      }),
  }
}
