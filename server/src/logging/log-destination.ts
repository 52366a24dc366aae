import { fstatSync } from 'node:fs'
import type { Writable } from 'node:stream'
import type { Clock } from '../lib/clock.ts'
import { createFileLog } from './file-log.ts'
import type { LogDestination } from './log-lines.ts'
import { createPipeLog } from './pipe-log.ts'

/** Standard output, with buffered writes. The buffer is also written when the process exits. */
export function createLogDestination(clock: Clock): LogDestination {
  const { fd } = process.stdout
  const about = fstatSync(fd)
  return about.isFIFO() || about.isSocket() ? createPipeLog(process.stdout as Writable, clock) : createFileLog(fd, clock)
}
