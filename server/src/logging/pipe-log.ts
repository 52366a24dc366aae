import type { Writable } from 'node:stream'
import type { DestinationStream } from 'pino'
import type { Clock } from '../lib/clock.ts'

/** Where log lines go. */
export interface LogDestination extends DestinationStream {
  /** Writes what was gathered, and calls `done` once it is written, nobody reads it any more, or it has waited for a second. */
  flush(done?: () => void): void
}

/** Lines wait this long for others, so that a busy process writes many at once; an idle one has no timer. */
const GATHERING_MS = 10
const MOST_GATHERED_BYTES = 8 * 1024
/** What a reader may be behind before lines are dropped. */
const MOST_OWED_BYTES = 1024 * 1024
/** How long an end waits for the reader. */
const LAST_WAIT_MS = 1000

/**
 * Log lines into a pipe or a socket, whose reader may be slow or gone. It never blocks: what a slow reader does not take is dropped beyond a
 * mebibyte, and counted in a line of its own once the reader goes on; once the reader is gone lines cost nothing.
 */
export function createPipeLog(pipe: Writable, clock: Clock): LogDestination {
  let gathered = ''
  let dropped = 0
  let isDue = false
  let isGone = false

  const write = (text: string) => {
    if (!isGone && text !== '') pipe.write(text)
  }

  const writeGathered = () => {
    isDue = false
    const text = gathered
    gathered = ''
    write(text)
  }

  const sayDropped = () => {
    if (dropped === 0) return
    const members = {
      level: 40,
      time: new Date(clock.now()).toISOString(),
      lines: dropped,
      msg: 'log lines were dropped: nobody read them',
    }
    dropped = 0
    write(`${JSON.stringify(members)}\n`)
  }

  pipe.on('drain', sayDropped)
  pipe.on('error', () => {
    isGone = true
    gathered = ''
  })
  process.on('exit', writeGathered)

  return {
    write(line) {
      if (isGone) return
      if (pipe.writableLength + gathered.length > MOST_OWED_BYTES) {
        dropped += 1
        return
      }
      gathered += line
      if (gathered.length >= MOST_GATHERED_BYTES) return writeGathered()
      if (isDue) return
      isDue = true
      clock.after(GATHERING_MS, writeGathered)
    },
    flush(done) {
      writeGathered()
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
