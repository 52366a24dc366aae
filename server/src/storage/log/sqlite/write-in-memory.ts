import { openWriter } from './open-writer.ts'
import type { Writer } from './writer.ts'
import type { WriterChannel } from './writer-channel.ts'

const ENDED = 'the event log in memory was closed'

/**
 * A writer of a log in memory, in this thread: there is no disk to wait for, and the start of a thread would be a quarter of the start of a
 * server in a test. Calls are handled in the order in which they were made. If it cannot be opened every
 * call rejects with the reason, and it has ended.
 */
export function writeInMemory(path = ':memory:'): WriterChannel {
  const opening = openWriter(path)
  const ended = Promise.withResolvers<void>()
  let last: Promise<unknown> = opening
  let isClosed = false
  opening.catch(() => ended.resolve())

  const run = (writer: Writer, method: keyof Writer, argument: unknown): unknown => {
    if (isClosed) throw new Error(ENDED)
    isClosed = method === 'close'
    try {
      const value = (writer[method] as (argument: unknown) => unknown)(argument)
      if (!isClosed) writer.runBackgroundWork()
      return value
    } finally {
      if (isClosed) ended.resolve()
    }
  }

  return {
    call(method, argument) {
      const called = last.then(async () => run(await opening, method, argument))
      last = called.catch(() => {})
      return called as Promise<never>
    },
    ended: ended.promise,
  }
}
