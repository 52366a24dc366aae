import { sql, type Transaction } from 'kysely'
import type { Memberships } from '../../memberships.ts'
import type { RecordType } from '../../records.ts'
import type { World, WorldStore } from '../../worlds.ts'
import type { Database } from '../schema.ts'
import { type SqlDatabase, unannounced } from '../sql-database.ts'

const PREFIX = 'world_'

const nameOf = (id: string) => `${PREFIX}${id}`

/** What a world's users leave behind: terms of their posts, and accounts. */
interface Left {
  posts: readonly string[]
  accounts: readonly string[]
}

const amongTexts = (values: readonly string[]) => sql.join(values.length > 0 ? values : [''])
const amongIds = (values: readonly string[]) => sql.join(values.length > 0 ? values.map(BigInt) : [-1n])

/** Worlds, whose members are in the metadata, so that snapshots, resets and restarts know them. */
export function createWorldStore(
  { db, unannounced: writable, write }: SqlDatabase,
  recordTypes: readonly RecordType[],
  memberships: Memberships,
): WorldStore {
  const ofAccounts = recordTypes.filter(({ scope }) => scope === 'account_id')
  const accountTypes = recordTypes.filter(({ scope }) => scope !== 'account_id')

  const idsOf = async (text: ReturnType<typeof sql<{ id: string }>>) => (await text.execute(writable)).rows.map(({ id }) => String(id))

  const leftOf = async ({ userIds, accountId }: World): Promise<Left> => {
    const users = amongTexts(userIds)
    return {
      posts: await idsOf(sql`select cast(id as text) as id from posts where author_id in (${users})`),
      accounts: [
        accountId,
        ...(await idsOf(sql`select distinct account_id as id from account_members as own where user_id in (${users})
          and not exists (select 1 from account_members as other where other.account_id = own.account_id and other.user_id not in (${users}))`)),
      ],
    }
  }

  const removeAccounts = async (trx: Transaction<Database>, accounts: readonly string[]) => {
    const ids = amongTexts(accounts)
    for (const { table } of ofAccounts) await sql`delete from ${sql.table(table)} where account_id in (${ids})`.execute(trx)
    for (const { table, key } of accountTypes) await sql`delete from ${sql.table(table)} where ${sql.ref(key)} in (${ids})`.execute(trx)
    for (const table of ['account_history', 'account_members'])
      await sql`delete from ${sql.table(table)} where account_id in (${ids})`.execute(trx)
  }

  const audiencesOf = (accounts: readonly string[]) =>
    idsOf(sql`select id from custom_audiences where account_id in (${amongTexts(accounts)})
      union select id from do_not_reach_lists where account_id in (${amongTexts(accounts)})`)

  return {
    async add(id, world) {
      await writable
        .insertInto('metadata')
        .values({ name: nameOf(id), value: JSON.stringify(world) })
        .execute()
    },
    async find(id) {
      const row = await db.selectFrom('metadata').select('value').where('name', '=', nameOf(id)).executeTakeFirst()
      return row && JSON.parse(row.value)
    },
    async count() {
      const counted = db.selectFrom('metadata').select(({ fn }) => fn.countAll<number>().as('count'))
      return Number((await counted.where('name', 'like', `${PREFIX}%`).executeTakeFirstOrThrow()).count)
    },
    async remove(id, world, removeThem) {
      const { posts, accounts } = await leftOf(world)
      for (const audience of await audiencesOf(accounts)) await memberships.remove(audience)
      await removeThem()
      await write(async (trx) => {
        await removeAccounts(trx, accounts)
        await sql`delete from dm_events where sender_id in (${amongTexts(world.userIds)})`.execute(trx)
        await sql`delete from post_terms where post_id in (${amongIds(posts)})`.execute(trx)
        await trx.deleteFrom('metadata').where('name', '=', nameOf(id)).execute()
        return unannounced(undefined)
      })
    },
  }
}
