import { createHmac } from 'node:crypto'

export const SECRET = 'a consumer secret of the tests'
export const OTHER_SECRET = 'the consumer secret of another app'

/** The signature of a message, made without the code under test. */
export function signed(message: string | Uint8Array, secret = SECRET): string {
  return `sha256=${createHmac('sha256', secret).update(message).digest('base64')}`
}

/** The text of an event with an id. */
export const eventText = (id: string, fields: object = {}) =>
  JSON.stringify({ data: { event_uuid: id, event_type: 'dm.received', payload: {}, ...fields } })
