import type { StreamEntry } from '../../src/storage/event-log.ts'

/** An event about user 7 in the stream of app 1. */
export const streamEntry = (sequence: number, eventType = 'post.create'): StreamEntry => ({
  sequence,
  eventUuid: `uuid-${sequence}`,
  eventType,
  userId: '7',
  appId: '1',
  match: '"filter":{"user_id":"7"}',
  content: Buffer.from('"payload":{}}}'),
})
