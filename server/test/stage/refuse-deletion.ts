import { rawRows } from '../storage/samples.ts'
import type { Flavour } from './database.ts'

/** Has the database refuse to delete any row of a table, as a fault in the midst of a transaction. */
export async function refuseDeletion(flavour: Flavour, url: string, table: string): Promise<void> {
  if (flavour === 'sqlite') {
    await rawRows(url, `create trigger refuse before delete on ${table} begin select raise(abort, 'refused by the test'); end`)
    return
  }
  await rawRows(url, `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused by the test'; end $$`)
  await rawRows(url, `create trigger refuse before delete on ${table} for each row execute function refuse()`)
}
