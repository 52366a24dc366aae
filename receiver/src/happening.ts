/** What a receiver tells its `log`. `refused` is the sender's doing, `failed` the receiver's own: what it says needs repair here. */
export type Happening =
  | { msg: 'challenge answered' }
  | { msg: 'duplicate dropped'; event_uuid: string }
  | { msg: 'refused'; status: number; reason: string }
  | { msg: 'failed'; status: number; reason: string; error?: unknown }

/** The log of a receiver that was given none: failures, to the console. */
export function logFailures(happening: Happening): void {
  if (happening.msg === 'failed') console.error(`webhook receiver: ${happening.reason}`, happening.error ?? '')
}
