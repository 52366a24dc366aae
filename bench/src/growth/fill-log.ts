import type { Database } from '../databases.ts'
import { startWorker, type Worker } from '../worker.ts'
import type { AgingLogArgument, AgingLogRequest, LiveAppends } from './aging-log.ts'

/** So many that filling takes less than a call may. */
const AT_ONCE = 100_000

export type AgingLog = Worker<AgingLogRequest, LiveAppends>

/** Opens the event log of a database, filled with deliveries that were never sent. */
export async function openFilledLog(
  { url }: Database,
  { webhooks, deliveries }: { webhooks: number; deliveries: number },
): Promise<AgingLog> {
  const log: AgingLog = await startWorker('aging-log.ts', { url, webhooks } satisfies AgingLogArgument)
  for (let at = 0; at < deliveries; at += AT_ONCE) await log.call({ fill: Math.min(AT_ONCE, deliveries - at) })
  return log
}

/** Fills the event log of a database. */
export async function fillLog(...filled: Parameters<typeof openFilledLog>): Promise<void> {
  const log = await openFilledLog(...filled)
  await log[Symbol.asyncDispose]()
}
