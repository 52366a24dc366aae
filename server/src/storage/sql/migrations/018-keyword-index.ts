import { type Kysely, sql } from 'kysely'
import type { Flavour } from '../flavour.ts'
import { newTable } from './new-table.ts'

/**
 * The posts of each hour by their words: those that are not packed yet, the numbers of the others, and the lists of those numbers by term.
 * Posts that exist are packed by and by.
 */
export const addKeywordIndex = (flavour: Flavour) => async (db: Kysely<unknown>) => {
  const bytes = flavour.name === 'sqlite' ? sql`blob` : sql`bytea`
  const withKey = (name: string, columns: Parameters<typeof newTable>[3], ...key: string[]) => {
    const table = newTable(db, flavour, name, columns).addPrimaryKeyConstraint(`${name}_pkey`, key as never)
    return flavour.name === 'sqlite' ? table.modifyEnd(sql`without rowid`) : table
  }
  await withKey('unpacked_posts', { hour: 'bigint', post_id: 'bigint', gone: 'boolean' }, 'hour', 'post_id').execute()
  await withKey('packed_hours', { hour: 'bigint', size: 'bigint' }, 'hour')
    .addColumn('post_ids', bytes, (column) => column.notNull())
    .addColumn('dead', bytes)
    .execute()
  await withKey('packed_terms', { hour: 'bigint', term: 'bigint' }, 'hour', 'term')
    .addColumn('posts', bytes, (column) => column.notNull())
    .execute()
  await sql`insert into unpacked_posts (hour, post_id, gone) select created_at_ms / 3600000, id, false from posts where not nullcast`.execute(
    db,
  )
}
