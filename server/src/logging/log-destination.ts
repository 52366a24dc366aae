import { fstatSync } from 'node:fs'
import type { Writable } from 'node:stream'
import type { Clock } from '../lib/clock.ts'
import { createFileLog } from './file-log.ts'
import { createPipeLog, type LogDestination } from './pipe-log.ts'

/** Standard output, in large writes. What was gathered is written also when the process exits. */
export function createLogDestination(clock: Clock): LogDestination {
  const { fd } = process.stdout
  const about = fstatSync(fd)
  return about.isFIFO() || about.isSocket() ? createPipeLog(process.stdout as Writable, clock) : createFileLog(fd, clock)
}
