/** What a receiver passes to its `log`. `rejected`: the sender's mistake. `failed`: an error in this receiver that needs fixing. */
export type LogEntry =
  | { msg: 'challenge answered' }
  | { msg: 'duplicate dropped'; event_uuid: string }
  | { msg: 'rejected'; status: number; reason: string }
  | { msg: 'failed'; status: number; reason: string; error?: unknown }

/** The default `log`: writes failures to the console. */
export function logFailures(entry: LogEntry): void {
  if (entry.msg === 'failed') console.error(`webhook receiver: ${entry.reason}`, entry.error ?? '')
}
