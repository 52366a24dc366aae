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
