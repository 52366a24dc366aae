import { queues } from './catalogs/due-rows.ts'

/** Releases what processes had claimed of a database that none of them uses any more. */
export const releaseAllWork: readonly string[] = [
  'update replay_jobs set worker = null where worker is not null',
  ...queues.map((queue) => `update ${queue} set due_at_ms = 0, worker = null where due_at_ms is not null and worker is not null`),
]
