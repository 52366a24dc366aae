import { bodyOf, contentOf } from '../../../server/src/delivery/envelope.ts'
import type { StreamEntry } from '../../../server/src/storage/event-log.ts'

const EVENT = { eventType: 'dm.received', userId: '101', match: '"filter":{"user_id":"101"}' }
const LINE_BYTES = 1024

const contentOfLength = (length: number) => contentOf({ text: 'x'.repeat(length) }, undefined)
const overhead = bodyOf({ ...EVENT, eventUuid: '1'.repeat(18), content: contentOfLength(0) }).length + 2

const content = contentOfLength(LINE_BYTES - overhead)

/** The entry of an event of 1 KB in the stream of an app. */
export const entryFor = (appId: string, sequence: number): StreamEntry => ({
  ...EVENT,
  appId,
  sequence,
  eventUuid: '1'.repeat(18),
  content,
})

/** Its line. */
export const line = Buffer.concat([bodyOf(entryFor('1', 1)), Buffer.from('\r\n')])

/** The path that both servers stream at. */
export const PATH = '/2/activity/stream'

/** Connections of each app. */
export const PER_APP = 2

/** Which connections are sent to, and how many events each gets at once. */
export interface StreamArgument {
  connections: number
  batch: number
}
