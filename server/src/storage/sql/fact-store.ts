import type { Kysely } from 'kysely'
import type { Facts } from '../facts.ts'
import type { Database } from './schema.ts'

export function createFacts(db: Kysely<Database>): Facts {
  const get = async (name: string) => (await db.selectFrom('facts').select('value').where('name', '=', name).executeTakeFirst())?.value

  return {
    get,
    async set(name, value) {
      const insert = db.insertInto('facts').values({ name, value })
      await insert.onConflict((conflict) => conflict.column('name').doUpdateSet({ value })).execute()
    },
    async settle(name, value) {
      const insert = db.insertInto('facts').values({ name, value })
      await insert.onConflict((conflict) => conflict.column('name').doNothing()).execute()
      return (await get(name)) ?? value
    },
  }
}
