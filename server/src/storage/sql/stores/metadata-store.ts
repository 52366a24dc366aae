import type { Kysely } from 'kysely'
import type { Metadata } from '../../metadata.ts'
import type { Engine } from '../engine.ts'
import type { Database } from '../schema.ts'

export function createMetadata(db: Kysely<Database>, unsynced: Engine['unsynced'] = (run) => run(db)): Metadata {
  const get = async (name: string) => (await db.selectFrom('metadata').select('value').where('name', '=', name).executeTakeFirst())?.value

  const setOn = async (connection: Kysely<Database>, name: string, value: string) => {
    const insert = connection.insertInto('metadata').values({ name, value })
    await insert.onConflict((conflict) => conflict.column('name').doUpdateSet({ value })).execute()
  }

  return {
    get,
    set: (name, value) => setOn(db, name, value),
    setUnsynced: (name, value) => unsynced((connection) => setOn(connection, name, value)),
    async setIfAbsent(name, value) {
      const insert = db.insertInto('metadata').values({ name, value })
      await insert.onConflict((conflict) => conflict.column('name').doNothing()).execute()
      return (await get(name)) ?? value
    },
  }
}
