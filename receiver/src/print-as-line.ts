import type { Happening } from './happening.ts'
import type { ReceivedEvent } from './parse-event.ts'

/** What `npm run receive` prints. */
export type Printed = Happening | { msg: 'listening'; url: string; secretsFrom: string } | { msg: 'event'; event: ReceivedEvent }

/** One line of JSON, for scripts. */
export function asLine(printed: Printed): string {
  return JSON.stringify(printed, (_, value) => (value instanceof Error ? String(value.stack) : value))
}
