import { type Kysely, sql } from 'kysely'

/** Deleted catalogs, a queue of work: what they have is deleted in slices. */
export const addCatalogRemovals = async (db: Kysely<unknown>) => {
  await sql`alter table product_catalogs add column due_at_ms bigint`.execute(db)
  await sql`alter table product_catalogs add column worker integer`.execute(db)
  await sql`create index product_catalogs_due on product_catalogs (due_at_ms) where due_at_ms is not null`.execute(db)
}
