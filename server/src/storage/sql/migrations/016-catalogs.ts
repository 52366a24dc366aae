import type { Kysely } from 'kysely'
import type { Flavour } from '../flavour.ts'
import { type Columns, newTable } from './new-table.ts'

/** Work that one process of a fleet does when it is due: `worker` has claimed it until `due_at_ms`. */
const due: Columns = { due_at_ms: 'bigint?', worker: 'integer?' }

const tables: Record<string, Columns> = {
  product_catalogs: { id: 'text', host: 'text', user_id: 'text', name: 'text', next_position: 'bigint', created_at_ms: 'bigint' },
  products: {
    product_key: 'text',
    catalog_id: 'text',
    id: 'text',
    position: 'bigint',
    item_group_id: 'text?',
    item_group_key: 'text?',
    attributes: 'text',
  },
  product_sets: {
    id: 'text',
    catalog_id: 'text',
    name: 'text',
    description: 'text?',
    type: 'text',
    filters: 'text',
    processing_status: 'text',
    processed_to: 'bigint',
    created_at_ms: 'bigint',
    ...due,
  },
  product_set_members: { set_id: 'text', product_key: 'text' },
  scheduled_feeds: {
    id: 'text',
    catalog_id: 'text',
    feed_url: 'text',
    feed_format: 'text',
    frequency: 'text',
    repeat: 'text?',
    start_time: 'text',
    time_zone: 'text',
    created_at_ms: 'bigint',
    updated_at_ms: 'bigint',
    ...due,
  },
  feed_reports: {
    id: 'text',
    feed_id: 'text',
    state: 'text',
    started_at_ms: 'bigint',
    finished_at_ms: 'bigint?',
    failure: 'text?',
    rows: 'bigint',
    created: 'bigint',
    updated: 'bigint',
    unchanged: 'bigint',
    failed: 'bigint',
    row_errors: 'text',
  },
  image_checks: { url_sha256: 'text', url: 'text', checked_at_ms: 'bigint?', problem: 'text?', ...due },
}

const keys: Record<string, string[]> = {
  products: ['product_key'],
  product_set_members: ['set_id', 'product_key'],
  image_checks: ['url_sha256'],
}

/** What goes with what: `[column, table, key]`. */
const owners: Record<string, [string, string, string][]> = {
  product_catalogs: [['user_id', 'users', 'id']],
  products: [['catalog_id', 'product_catalogs', 'id']],
  product_sets: [['catalog_id', 'product_catalogs', 'id']],
  product_set_members: [
    ['set_id', 'product_sets', 'id'],
    ['product_key', 'products', 'product_key'],
  ],
  scheduled_feeds: [['catalog_id', 'product_catalogs', 'id']],
  feed_reports: [['feed_id', 'scheduled_feeds', 'id']],
}

/** Product catalogs of users, with their products, sets, scheduled feeds and what was seen of images. */
export const addCatalogs = (flavour: Flavour) => async (db: Kysely<unknown>) => {
  for (const [name, columns] of Object.entries(tables)) {
    let table = newTable(db, flavour, name, columns).addPrimaryKeyConstraint(`${name}_pkey`, (keys[name] ?? ['id']) as never[])
    for (const [column, owner, key] of owners[name] ?? [])
      table = table.addForeignKeyConstraint(`${name}_${column}`, [column as never], owner, [key], (it) => it.onDelete('cascade'))
    await table.execute()
  }
  const index = (name: string, on: string, columns: string[]) => db.schema.createIndex(name).on(on).columns(columns)
  await index('product_catalogs_of_user', 'product_catalogs', ['user_id', 'host']).unique().execute()
  await index('products_of_catalog', 'products', ['catalog_id', 'id']).unique().execute()
  await index('products_in_order', 'products', ['catalog_id', 'position']).execute()
  await index('products_of_group', 'products', ['catalog_id', 'item_group_key', 'position']).execute()
  await index('product_groups', 'products', ['catalog_id', 'item_group_id']).execute()
  await index('product_sets_of_catalog', 'product_sets', ['catalog_id', 'id']).execute()
  await index('product_set_members_of_product', 'product_set_members', ['product_key']).execute()
  await index('scheduled_feeds_of_catalog', 'scheduled_feeds', ['catalog_id']).unique().execute()
  await index('feed_reports_of_feed', 'feed_reports', ['feed_id', 'id']).execute()
  await index('image_checks_checked', 'image_checks', ['checked_at_ms']).execute()
  for (const name of ['product_sets', 'scheduled_feeds', 'image_checks'])
    await index(`${name}_due`, name, ['due_at_ms']).where('due_at_ms', 'is not', null).execute()
}
