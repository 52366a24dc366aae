import { fstatSync } from 'node:fs'
import type { Writable } from 'node:stream'
import type { Clock } from '../lib/clock.ts'
import { createFileLog } from './file-log.ts'
import { BUFFERED_MS, droppedLine, type LogDestination } from './log-lines.ts'

const MAX_BUFFERED_BYTES = 8 * 1024
/** How far the reader may be behind before lines are dropped. */
const MAX_UNREAD_BYTES = 1024 * 1024
/** How long the shutdown waits for the reader. */
const LAST_WAIT_MS = 1000

/**
 * Writes log lines to a pipe or a socket, whose reader may be slow or gone. Never blocks: if the reader is more than a mebibyte behind, lines
 * are dropped, and counted in a line of their own once it continues. If the reader is gone, lines are ignored.
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
      if (pipe.writableLength + buffer.length > MAX_UNREAD_BYTES) {
        dropped += 1
        return
      }
      buffer += line
      if (buffer.length >= MAX_BUFFERED_BYTES) return writeBuffer()
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

/** Standard output, with buffered writes. The buffer is also written when the process exits. */
export function createLogDestination(clock: Clock): LogDestination {
  const { fd } = process.stdout
  const about = fstatSync(fd)
  return about.isFIFO() || about.isSocket() ? createPipeLog(process.stdout as Writable, clock) : createFileLog(fd, clock)
}
