import type { AdsCode } from '../../../../api/declare/ads-codes.ts'
import { cutText } from '../../../../lib/text.ts'

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
