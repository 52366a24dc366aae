/**
 * A whole number of 64 bits with its sign: a number where a double has it exactly, and a bigint beyond 2^53 alone. So the same number is
 * always the same value, and `<` compares any two.
 */
export type Long = number | bigint

export const MOST_LONG = 2n ** 63n - 1n
const LEAST_LONG = -(2n ** 63n)

export const isLong = (value: unknown): value is Long =>
  typeof value === 'bigint' ? value >= LEAST_LONG && value <= MOST_LONG : Number.isSafeInteger(value)

/** The whole number that decimal digits, perhaps after a minus, stand for; it may be beyond the longs. */
export function wholeNumber(digits: string): Long {
  const near = Number(digits)
  return Number.isSafeInteger(near) ? near : BigInt(digits)
}

/** A whole number that JSON writes digit for digit, however large it is. For answers alone: nothing can be calculated with it. */
export const exactNumber = (digits: string): number => (JSON as unknown as { rawJSON(text: string): number }).rawJSON(digits)

/** Where a text of JSON may hold a whole number beyond 2^53; it may also stand in a string. */
const LARGE = /(?:^|[:[,])\s*-?\d{16}/

type Reviver = (name: string, value: unknown, context: { source: string }) => unknown

const exactly: Reviver = (_, value, { source }) =>
  typeof value === 'number' && Number.isInteger(value) && /^-?\d+$/.test(source) ? wholeNumber(source) : value

/** Parses JSON; a whole number beyond 2^53 that is written in digits alone becomes a bigint. Throws a SyntaxError. */
export const readExactJson = (text: string): unknown =>
  LARGE.test(text) ? JSON.parse(text, exactly as Parameters<typeof JSON.parse>[1]) : JSON.parse(text)

/** Writes JSON, in lines where an indent is given; bigints digit for digit. What holds none, which is nearly all, is written as fast as ever. */
export function writeExactJson(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, undefined, indent)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return JSON.stringify(value, (_, inner) => (typeof inner === 'bigint' ? exactNumber(String(inner)) : inner), indent)
  }
}
