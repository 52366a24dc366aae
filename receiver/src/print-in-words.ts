import { eventId, type ReceivedEvent } from './parse-event.ts'
import type { Printed } from './print-as-line.ts'

/** Plain words for a terminal, free of control characters that an event's texts could command it with. */
export function inWords(printed: Printed): string {
  return words(printed).replace(/[^\P{Cc}\n]/gu, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

function words(printed: Printed): string {
  switch (printed.msg) {
    case 'listening':
      return [
        `Listening on ${new URL(printed.url).origin}, with the consumer secret from ${printed.secretsFrom}.`,
        `The callback URL to register: ${printed.url} (any path is answered)`,
        'Ctrl-C ends it.',
      ].join('\n')
    case 'event':
      return `${headline(printed.event)}\n${JSON.stringify(printed.event, undefined, 2)}`
    case 'duplicate dropped':
      return `duplicate dropped ${oneLine(printed.event_uuid)}`
    case 'refused':
    case 'failed':
      return `${printed.msg} (${printed.status}): ${printed.reason}`
    case 'challenge answered':
      return printed.msg
  }
}

/** `event <type> <id>`; an event without data goes by the name of its one field, such as replay_job_status. */
function headline(event: ReceivedEvent): string {
  const type: unknown = event.data?.event_type ?? Object.keys(event)[0] ?? ''
  return ['event', oneLine(String(type)), oneLine(eventId(event) ?? '')].join(' ').trimEnd()
}

const oneLine = (text: string) => text.replaceAll('\n', '\\n')
