import { type Msg, nanos } from '@nats-io/transport-node'
import type { Clock } from '../../../lib/clock.ts'
import { SECOND_MS } from '../../../lib/time.ts'
import type { SourceMessage } from '../event-source.ts'
import { createJetStreamConnection } from './jetstream-connection.ts'
import { messageOf } from './jetstream-message.ts'
import type { NatsPlace } from './nats-place.ts'

/** A pull ends after so long, so that a source that is stopped waits no longer for what is still on its way. */
const PULL_MS = SECOND_MS
/** A pull whose end has not come by then has been lost. */
const LOST_MS = PULL_MS + 3 * SECOND_MS
/** The most of each pull: so many messages, and bytes, of one message at least. */
const PULL_MESSAGES = 100
const PULL_BYTES = 8 * 1024 * 1024
/** Beside the payload of a message: its subject and headers. */
const HEADERS_BYTES = 128 * 1024

/** Status of a pull that has ended as it should: its time is over, or it has as many bytes as it may. One that brought nothing is too small. */
const isEnd = (code: number, description: string, messages: number) =>
  code === 408 || (code === 409 && messages > 0 && /exceeds maxbytes|batch completed/i.test(description))
const HEARTBEAT = 100

/** What was asked for and has not come yet. */
interface Pull {
  inbox: string
  /** How many messages it may still bring. */
  left: number
  /** With an error if it was lost. */
  end(error?: Error): void
}

/**
 * Pulls batches, one at a time, as the wire protocol has it: the pulls of the client are bounded by messages or by bytes, and these by both.
 * Messages are handed over as they come.
 */
export function createJetStreamPulls(place: NatsPlace, clock: Clock, arrived: (message: SourceMessage) => void) {
  const subject = `$JS.API.CONSUMER.MSG.NEXT.${place.stream}.${place.durable}`
  let pull: Pull | undefined
  let pulls = 0

  const heardMessage = (message: SourceMessage) => {
    // Too late for its pull, which was lost.
    if (!pull) return message.giveBack(0)
    arrived(message)
    pull.left -= 1
    if (pull.left === 0) pull.end()
  }

  const heard = (message: Msg, streamLife: string) => {
    const { code = 0, description = '' } = message.headers ?? {}
    if (code === 0) return heardMessage(messageOf(message, streamLife))
    if (message.subject !== pull?.inbox || code === HEARTBEAT) return
    pull.end(isEnd(code, description, PULL_MESSAGES - pull.left) ? undefined : new Error(description.toLowerCase() || `status ${code}`))
  }

  const connection = createJetStreamConnection(place, { heard, lost: (error) => pull?.end(error) })

  return {
    connection,
    /** Resolves with the end of a batch; rejects if it was lost. `asking` is called when it is asked for. */
    async run(asking: () => void) {
      const { connection: through, inbox } = await connection.open()
      asking()
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const timer = clock.after(LOST_MS, () => reject(new Error('no answer')), { isUpkeep: true })
      const maxBytes = Math.max(PULL_BYTES, (through.info?.max_payload ?? 0) + HEADERS_BYTES)
      pulls += 1
      pull = { inbox: `${inbox}.${pulls}`, left: PULL_MESSAGES, end: (error) => (error ? reject(error) : resolve()) }
      try {
        const asked = JSON.stringify({ batch: PULL_MESSAGES, max_bytes: maxBytes, expires: nanos(PULL_MS) })
        through.publish(subject, asked, { reply: pull.inbox })
        await promise
      } finally {
        pull = undefined
        timer.cancel()
      }
    },
  }
}
