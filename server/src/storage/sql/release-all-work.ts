import { queues } from './catalogs/due-rows.ts'

/** Which tables have a column for a date when work is due: one of a former version has fewer queues. */
const WITH_DATES = `select table_name as name from information_schema.columns where table_schema = current_schema() and column_name = 'due_at_ms'`

/** Releases what processes had claimed of a PostgreSQL database that none of them uses any more. */
export async function releaseAllWork(query: (text: string) => Promise<{ name: string }[]>): Promise<void> {
  await query('update replay_jobs set worker = null where worker is not null')
  for (const { name } of await query(WITH_DATES))
    if (queues.includes(name))
      await query(`update ${name} set due_at_ms = 0, worker = null where due_at_ms is not null and worker is not null`)
}
