import { write, writeSync } from 'node:fs'
import type { Clock } from '../lib/clock.ts'
import type { LogDestination } from './pipe-log.ts'

/** Lines wait this long for others, so that a busy process writes many at once; an idle one has no timer. */
const GATHERING_MS = 10
/** How long after a failure what was gathered meanwhile is tried. */
const AGAIN_MS = 1000
const NEW_LINE = 10
/** What a file may owe before lines are dropped: a disk that hangs must not fill the memory. */
const MOST_OWED_BYTES = 4 * 1024 * 1024

/**
 * Log lines into a file. One write is under way at a time; what cannot be written, because the disk is full, is dropped, and counted in a line
 * of its own once there is room. It neither blocks nor fails the process.
 */
export function createFileLog(file: number, clock: Clock): LogDestination {
  let gathered = ''
  let gatheredLines = 0
  let dropped = 0
  let isDue = false
  let isWriting = false
  /** What was written last ended within a line: the disk became full there. */
  let endsWithinLine = false
  let waiting: (() => void)[] = []

  const takeGathered = (): Buffer => {
    const lost = dropped === 0 ? '' : `{"level":40,"lines":${dropped},"msg":"log lines were dropped: they could not be written"}\n`
    const text = (endsWithinLine ? '\n' : '') + (isWriting ? '' : lost) + gathered
    gathered = ''
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
    clock.after(ms, writeGathered)
  }

  const ended = (lines: number, lostBefore: number, error: Error | null) => {
    isWriting = false
    dropped = error ? dropped + lines : dropped - lostBefore
    if (gathered !== '' && !error) return writeGathered()
    if (gathered !== '') writeLater(AGAIN_MS)
    for (const done of waiting.splice(0)) done()
  }

  function writeGathered() {
    isDue = false
    if (isWriting || gathered === '') return
    const [lines, lostBefore, bytes] = [gatheredLines, dropped, takeGathered()]
    gatheredLines = 0
    isWriting = true
    writeAll(bytes, (error) => ended(lines, lostBefore, error))
  }

  process.on('exit', () => {
    try {
      for (let rest = takeGathered(); rest.length > 0; ) rest = rest.subarray(writeSync(file, rest))
    } catch {}
  })

  return {
    write(line) {
      if (gathered.length > MOST_OWED_BYTES) {
        dropped += 1
        return
      }
      gathered += line
      gatheredLines += 1
      writeLater(GATHERING_MS)
    },
    flush(done) {
      writeGathered()
      if (!done) return
      if (isWriting) waiting = [...waiting, done]
      else done()
    },
  }
}
