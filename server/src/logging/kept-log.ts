import { type Logger, pino } from 'pino'
import type { Clock } from '../lib/clock.ts'
import { errorForLog } from './error-for-log.ts'

/** A log line as it would be written. */
export interface KeptLine {
  level: number
  time: string
  msg: string
  [member: string]: unknown
}

/** A logger that writes nowhere and keeps the latest lines, for a server inside a program that has an output of its own. */
export function keptLog(level: string, clock: Clock, mostLines: number): { logger: Logger; lines: readonly KeptLine[] } {
  const lines: KeptLine[] = []
  const write = (line: string) => {
    lines.push(JSON.parse(line))
    if (lines.length > mostLines) lines.shift()
  }
  const timestamp = () => `,"time":"${new Date(clock.now()).toISOString()}"`
  return { logger: pino({ level, base: null, serializers: { err: errorForLog }, timestamp }, { write }), lines }
}
