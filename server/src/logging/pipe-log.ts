import type { Writable } from 'node:stream'
import type { Clock } from '../lib/clock.ts'
import { BUFFERED_MS, droppedLine, type LogDestination } from './log-lines.ts'

const MOST_BUFFERED_BYTES = 8 * 1024
/** What a reader may be behind before lines are dropped. */
const MOST_OWED_BYTES = 1024 * 1024
/** How long an end waits for the reader. */
const LAST_WAIT_MS = 1000

/**
 * Log lines into a pipe or a socket, whose reader may be slow or gone. It never blocks: what a slow reader does not take is dropped beyond a
 * mebibyte, and counted in a line of its own once the reader goes on; once the reader is gone lines cost nothing.
 */
export function createPipeLog(pipe: Writable, clock: Clock): LogDestination {
  let buffer = ''
  let dropped = 0
  let isDue = false
  let isGone = false

  const write = (text: string) => {
    if (!isGone && text !== '') pipe.write(text)
  }

  const writeBuffer = () => {
    isDue = false
    const text = buffer
    buffer = ''
    write(text)
  }

  const reportDropped = () => {
    if (dropped === 0) return
    const line = droppedLine(dropped, 'the reader of standard output is too slow', clock)
    dropped = 0
    write(line)
  }

  pipe.on('drain', reportDropped)
  pipe.on('error', () => {
    isGone = true
    buffer = ''
  })
  process.on('exit', writeBuffer)

  return {
    write(line) {
      if (isGone) return
      if (pipe.writableLength + buffer.length > MOST_OWED_BYTES) {
        dropped += 1
        return
      }
      buffer += line
      if (buffer.length >= MOST_BUFFERED_BYTES) return writeBuffer()
      if (isDue) return
      isDue = true
      clock.after(BUFFERED_MS, writeBuffer)
    },
    flush(done) {
      writeBuffer()
      if (!done) return
      if (isGone || pipe.writableLength === 0) return done()
      const late = clock.after(LAST_WAIT_MS, () => end())
      const end = () => {
        late.cancel()
        pipe.off('error', end)
        done()
      }
      pipe.on('error', end)
      pipe.write('', end)
    },
  }
}
