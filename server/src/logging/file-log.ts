import { write, writeSync } from 'node:fs'
import type { Clock } from '../lib/clock.ts'
import { BUFFERED_MS, droppedLine, type LogDestination } from './log-lines.ts'

/** Delay after a failure before the buffer is written again. */
const RETRY_DELAY_MS = 1000
const NEW_LINE = 10
/** How much may be buffered before lines are dropped: a hanging disk must not exhaust the memory. */
const MAX_BUFFERED_BYTES = 4 * 1024 * 1024

/**
 * Writes log lines to a file, one write at a time. Lines that cannot be written, because the disk is full, are dropped and counted in a line
 * of their own once there is space. Never blocks or fails the process.
 */
export function createFileLog(file: number, clock: Clock): LogDestination {
  let buffer = ''
  let bufferedLines = 0
  let dropped = 0
  let isDue = false
  let isWriting = false
  /** The last write ended within a line, because the disk became full. */
  let endsWithinLine = false
  let waiting: (() => void)[] = []

  const takeBuffer = (): Buffer => {
    const lost = dropped === 0 ? '' : droppedLine(dropped, 'they could not be written', clock)
    const text = (endsWithinLine ? '\n' : '') + (isWriting ? '' : lost) + buffer
    buffer = ''
    return Buffer.from(text)
  }

  const writeAll = (bytes: Buffer, done: (error: Error | null) => void) =>
    write(file, bytes, 0, bytes.length, null, (error, written) => {
      if (written > 0) endsWithinLine = bytes[written - 1] !== NEW_LINE
      if (error || written === bytes.length) done(error)
      else writeAll(bytes.subarray(written), done)
    })

  const writeLater = (ms: number) => {
    if (isDue) return
    isDue = true
    clock.after(ms, writeBuffer)
  }

  const ended = (lines: number, lostBefore: number, error: Error | null) => {
    isWriting = false
    dropped = error ? dropped + lines : dropped - lostBefore
    if (buffer !== '' && !error) return writeBuffer()
    if (buffer !== '') writeLater(RETRY_DELAY_MS)
    for (const done of waiting.splice(0)) done()
  }

  function writeBuffer() {
    isDue = false
    if (isWriting || buffer === '') return
    const [lines, lostBefore, bytes] = [bufferedLines, dropped, takeBuffer()]
    bufferedLines = 0
    isWriting = true
    writeAll(bytes, (error) => ended(lines, lostBefore, error))
  }

  process.on('exit', () => {
    try {
      for (let rest = takeBuffer(); rest.length > 0; ) rest = rest.subarray(writeSync(file, rest))
    } catch {}
  })

  return {
    write(line) {
      if (buffer.length > MAX_BUFFERED_BYTES) {
        dropped += 1
        return
      }
      buffer += line
      bufferedLines += 1
      writeLater(BUFFERED_MS)
    },
    flush(done) {
      writeBuffer()
      if (!done) return
      if (isWriting) waiting = [...waiting, done]
      else done()
    },
  }
}
