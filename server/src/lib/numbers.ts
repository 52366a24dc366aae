/**
 * A signed 64-bit integer: a number if a double represents it exactly, and a bigint only beyond 2^53. So equal integers are always the same
 * value, and `<` compares any two.
 */
export type Long = number | bigint

export const MAX_LONG = 2n ** 63n - 1n
const MIN_LONG = -(2n ** 63n)

export const isLong = (value: unknown): value is Long =>
  typeof value === 'bigint' ? value >= MIN_LONG && value <= MAX_LONG : Number.isSafeInteger(value)

const MAX_LONG_DIGITS = String(MAX_LONG)

/** Whether decimal digits, without a sign, are at most what 64 bits hold. */
export function fitsLong(digits: string): boolean {
  if (digits.length < MAX_LONG_DIGITS.length) return true
  const significant = digits.replace(/^0+/, '')
  return significant.length < MAX_LONG_DIGITS.length || (significant.length === MAX_LONG_DIGITS.length && significant <= MAX_LONG_DIGITS)
}

/** Parses decimal digits with an optional minus. The result may be outside the range of 64 bits. */
export function wholeNumber(digits: string): Long {
  const near = Number(digits)
  return Number.isSafeInteger(near) ? near : BigInt(digits)
}

/** An integer that JSON.stringify writes digit by digit, however large it is. Only for output: it cannot be used in calculations. */
export const exactNumber = (digits: string): number => (JSON as unknown as { rawJSON(text: string): number }).rawJSON(digits)

/** Matches JSON text that may contain an integer beyond 2^53; it may also be inside a string. */
const LARGE = /(?:^|[:[,])\s*-?\d{16}/

type Reviver = (name: string, value: unknown, context: { source: string }) => unknown

const exactly: Reviver = (_, value, { source }) =>
  typeof value === 'number' && Number.isInteger(value) && /^-?\d+$/.test(source) ? wholeNumber(source) : value

/** Parses JSON. An integer beyond 2^53 in plain digits becomes a bigint. Throws a SyntaxError. */
export const readExactJson = (text: string): unknown =>
  LARGE.test(text) ? JSON.parse(text, exactly as Parameters<typeof JSON.parse>[1]) : JSON.parse(text)

/** Writes JSON with bigints digit by digit. Values without a bigint, which are nearly all, are written as fast as by JSON.stringify. */
export function writeExactJson(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, undefined, indent)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return JSON.stringify(value, (_, inner) => (typeof inner === 'bigint' ? exactNumber(String(inner)) : inner), indent)
  }
}
