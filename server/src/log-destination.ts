import { fstatSync } from 'node:fs'
import type { Writable } from 'node:stream'
import { pino } from 'pino'
import type { Clock } from './lib/clock.ts'
import { createPipeLog, type LogDestination } from './pipe-log.ts'

/** Lines wait this long for others, so that a busy process writes many at once; an idle one has no timer. */
const GATHERING_MS = 10
const MOST_GATHERED_BYTES = 8 * 1024
/** What a file may owe before lines are dropped: a disk that hangs must not fill the memory. */
const MOST_OWED_BYTES = 4 * 1024 * 1024

/** Standard output, in large writes. What was gathered is written also when the process exits. */
export function createLogDestination(clock: Clock): LogDestination {
  const about = fstatSync(process.stdout.fd)
  return about.isFIFO() || about.isSocket() ? createPipeLog(process.stdout as Writable, clock) : createFileLog(clock)
}

function createFileLog(clock: Clock): LogDestination {
  const destination = pino.destination({ sync: false, minLength: MOST_GATHERED_BYTES, maxLength: MOST_OWED_BYTES })
  let isDue = false
  const flush = () => {
    isDue = false
    destination.flush()
  }
  return {
    write(line) {
      destination.write(line)
      if (isDue) return
      isDue = true
      clock.after(GATHERING_MS, flush)
    },
    flush(done) {
      destination.flush(() => done?.())
    },
  }
}
