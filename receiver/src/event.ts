import { HttpError } from './errors.ts'

/** An event as it was posted. Events of subscriptions have `data`; others, such as `replay_job_status`, have a field of their own. */
export interface ReceivedEvent {
  data?: { event_uuid?: string; event_type?: string; [field: string]: unknown }
  [field: string]: unknown
}

/** Parses a body whose signature was verified. Throws an HttpError, 400, when it is not a JSON object in UTF-8. */
export function parseEvent(body: Uint8Array): ReceivedEvent {
  const event = parseJson(body)
  if (typeof event === 'object' && event !== null && !Array.isArray(event)) return event as ReceivedEvent
  throw new HttpError(400, 'The signature is valid, but the body is not a JSON object.')
}

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    return undefined
  }
}

/** The id that is the same in retries, replays and for several apps. Only a string counts: a number that long has lost digits. */
export function eventId(event: ReceivedEvent): string | undefined {
  const id: unknown = event.data?.event_uuid
  return typeof id === 'string' && id !== '' ? id : undefined
}
