import { type Msg, nanos } from '@nats-io/transport-node'
import type { SourceMessage } from '../event-source.ts'

/** The subject that a message is settled at has 9 tokens before 2.9, and 11 or more, with a domain and the hash of an account, since then. */
const SHORT = 9

/** Where a message is, as the subject says that it is settled at: `$JS.ACK.<stream>.<consumer>.<deliveries>.<sequence>.….<time>.<pending>`. */
function placeOf(reply: string) {
  const tokens = reply.split('.')
  const [stream = '', , deliveries, sequence, , receivedNs] = tokens.slice(tokens.length === SHORT ? 2 : 4)
  return { stream, deliveries: Number(deliveries), sequence: Number(sequence), receivedAtMs: Math.floor(Number(receivedNs) / 1e6) }
}

/** A message of a pull consumer. Its bytes are those that were received. */
export function messageOf(message: Msg, streamLife: string): SourceMessage {
  const { data, subject, headers, reply = '' } = message
  const settle = (how: string) => {
    try {
      message.respond(how)
    } catch {
      // The connection is closed: the broker delivers the message again.
    }
  }
  return {
    ...placeOf(reply),
    streamLife,
    subject,
    producerId: headers?.get('Nats-Msg-Id') || undefined,
    body: Buffer.from(data.buffer, data.byteOffset, data.byteLength),
    accept: () => settle('+ACK'),
    discard: () => settle('+TERM'),
    giveBack: (delayMs) => settle(delayMs === 0 ? '-NAK' : `-NAK ${JSON.stringify({ delay: nanos(delayMs) })}`),
  }
}
