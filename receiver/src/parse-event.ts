import { Refusal } from './refusal.ts'

/** An event as it was posted: those of subscriptions have `data`; others, such as `replay_job_status`, stand on their own. */
export interface ReceivedEvent {
  data?: { event_uuid?: string; event_type?: string; [field: string]: unknown }
  [field: string]: unknown
}

/** The event in a body whose signature was right. Throws a Refusal, 400, when it is not a JSON object in UTF-8. */
export function parseEvent(body: Uint8Array): ReceivedEvent {
  const event = parsed(body)
  if (typeof event === 'object' && event !== null && !Array.isArray(event)) return event as ReceivedEvent
  throw new Refusal(400, 'The signature is right, but the body is not a JSON object.')
}

function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    return undefined
  }
}

/** The id that is the same over retries, replays and apps. Only a text counts: a number that long has lost digits. */
export function eventId(event: ReceivedEvent): string | undefined {
  const id: unknown = event.data?.event_uuid
  return typeof id === 'string' && id !== '' ? id : undefined
}
