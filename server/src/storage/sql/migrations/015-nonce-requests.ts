import type { Kysely } from 'kysely'

/** The request that used a nonce, which may ask again after a broken connection. Null for those of version 0.2. */
export const addNonceRequests = async (db: Kysely<unknown>) => {
  await db.schema.alterTable('nonces').addColumn('request_id', 'bigint').execute()
}
