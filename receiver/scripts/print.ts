import { eventId, type ReceivedEvent } from '../src/event.ts'
import type { LogEntry } from '../src/handle-request.ts'

/** What `npm run receive` prints. */
export type Printed = LogEntry | { msg: 'listening'; url: string; secretSource: string } | { msg: 'event'; event: ReceivedEvent }

/** `JSON.parse` gives the source of a number, and `JSON.rawJSON` writes it as it was. The types of the language do not have them yet. */
const exact = JSON as unknown as {
  parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): ReceivedEvent
  rawJSON(text: string): unknown
}

/** Reads an event so that it is printed with every digit of its numbers. */
export const readExactly = (body: Uint8Array): ReceivedEvent =>
  exact.parse(new TextDecoder().decode(body), (_, value, { source }) => (typeof value === 'number' ? exact.rawJSON(source!) : value))

/** One line of JSON, for scripts. */
export function formatJson(printed: Printed): string {
  return JSON.stringify(printed, (_, value) => (value instanceof Error ? String(value.stack) : value))
}

/** Readable text for a terminal. Control characters are escaped, so that an event cannot inject terminal commands. */
export function formatText(printed: Printed): string {
  return textOf(printed).replace(/[^\P{Cc}\n]/gu, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

function textOf(printed: Printed): string {
  switch (printed.msg) {
    case 'listening':
      return [
        `Listening on ${new URL(printed.url).origin}, with the consumer secret from ${printed.secretSource}.`,
        `Register this callback URL: ${printed.url} (any path works)`,
        'Stop with Ctrl-C.',
      ].join('\n')
    case 'event':
      return `${headline(printed.event)}\n${JSON.stringify(printed.event, undefined, 2)}`
    case 'duplicate dropped':
      return `duplicate dropped ${oneLine(printed.event_uuid)}`
    case 'rejected':
    case 'failed':
      return `${printed.msg} (${printed.status}): ${printed.reason}`
    case 'challenge answered':
      return printed.msg
  }
}

/** `event <type> <id>`. The type of an event without `data` is the name of its field, such as replay_job_status. */
function headline(event: ReceivedEvent): string {
  const type: unknown = event.data?.event_type ?? Object.keys(event)[0] ?? ''
  return ['event', oneLine(String(type)), oneLine(eventId(event) ?? '')].join(' ').trimEnd()
}

const oneLine = (text: string) => text.replaceAll('\n', '\\n')
