import { parseMoment } from '../../../../api/declare/ads-words.ts'
import type { AdsCode } from '../../../../api/declare/codes.ts'
import { cutText } from '../../../../lib/text.ts'
import type { BatchRules } from './batch-rules.ts'

/** An error of an operation, as it is answered. */
export interface OperationError {
  code: AdsCode
  message: string
  parameter: string
}

export const missing = (parameter: string, place = parameter): OperationError => ({
  code: 'MISSING_PARAMETER',
  message: `"${place}" is a required parameter`,
  parameter,
})

export const invalid = (parameter: string, message: string): OperationError => ({ code: 'INVALID_PARAMETER', message, parameter })

const MAX_SHOWN = 100

/** What was expected instead of a value. Values of users are not shown: they may be addresses of people. */
export const expected = (parameter: string, what: string, value: unknown): OperationError =>
  invalid(
    parameter,
    `Expected ${what}, got "${cutText(typeof value === 'string' ? value : JSON.stringify(value), MAX_SHOWN)}" for ${parameter}`,
  )

/** How long a user stays in an audience unless the request says otherwise (§8). */
const DEFAULT_MONTHS = 13

/** The moment 13 calendar months later, in milliseconds; on the last day of a month that has not as many days. */
function defaultExpiryMs(nowMs: number): number {
  const from = new Date(nowMs)
  const at = new Date(nowMs)
  at.setUTCMonth(from.getUTCMonth() + DEFAULT_MONTHS)
  if (at.getUTCDate() !== from.getUTCDate()) at.setUTCDate(0)
  return at.getTime()
}

/** When a membership begins and ends, in seconds since 1970, and what is wrong with that. */
interface OperationTimes {
  effective: number
  expires: number
  errors: OperationError[]
}

const secondsOf = (text: string) => Math.floor(Date.parse(text) / 1000)

/** Reads a time; null is none. */
function read(params: Record<string, unknown>, name: string, errors: OperationError[]): string | undefined {
  const value = params[name] ?? undefined
  const moment = typeof value === 'string' ? parseMoment(value) : undefined
  if (value !== undefined && moment === undefined) errors.push(expected(name, 'time', value))
  return moment
}

/** Reads `effective_at` and `expires_at` of an operation. A deletion takes effect at once, so its times are only compared with each other. */
export function readTimes(params: Record<string, unknown>, isDeleted: boolean, rules: BatchRules, nowMs: number): OperationTimes {
  const errors: OperationError[] = []
  const now = Math.floor(nowMs / 1000)
  const latest = Math.floor(defaultExpiryMs(nowMs) / 1000)
  if (!rules.hasEffectiveAt && (params.effective_at ?? undefined) !== undefined)
    errors.push(invalid('effective_at', 'effective_at is not accepted: operations of a do-not-reach list take effect at once'))
  const effectiveAt = rules.hasEffectiveAt ? read(params, 'effective_at', errors) : undefined
  const expiresAt = read(params, 'expires_at', errors)
  const effective = effectiveAt === undefined ? now : secondsOf(effectiveAt)
  const expires = expiresAt === undefined ? latest : secondsOf(expiresAt)
  const isCompared = !isDeleted || (effectiveAt !== undefined && expiresAt !== undefined)
  if (errors.length === 0 && isCompared && expires <= effective)
    errors.push({ code: 'INVALID_TIME_WINDOW', message: 'expires_at must lie after effective_at', parameter: 'expires_at' })
  if (errors.length === 0 && !isDeleted && !rules.mayExceedDefault && expires > latest)
    errors.push({ code: 'INVALID_TIME_WINDOW', message: 'expires_at must lie within the next 13 months', parameter: 'expires_at' })
  return { effective, expires, errors }
}
