import { type Logger, pino } from 'pino'
import type { Clock } from '../lib/clock.ts'

/** What a log line holds of an error: never the members that a library has hung on it, such as a connection with its password. */
export function errorForLog(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const { name, message, stack, cause, code } = error as NodeJS.ErrnoException
  return { type: name, ...(code !== undefined && { code }), message, stack, ...(cause !== undefined && { cause: errorForLog(cause) }) }
}

/** A log line as it would be written. */
interface KeptLine {
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
