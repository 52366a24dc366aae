/** The middle value; of an even number of values, the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  return Number.isInteger(middle) ? (sorted[middle - 1]! + sorted[middle]!) / 2 : sorted[Math.floor(middle)]!
}

/** The value that this share of all values, from 0 to 1, does not exceed. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)]!
}

const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 })
const oneDigit = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1, minimumFractionDigits: 1 })

/** `12,345`; below ten with one decimal, unless it is a whole number: `2.7`. */
export const formatNumber = (value: number): string => (value < 10 && !Number.isInteger(value) ? oneDigit : whole).format(value)

/** `12,345 (11,900–12,800)`: a median with the lowest and highest sample. */
export const formatSpread = (middle: number, values: readonly number[]): string =>
  `${formatNumber(middle)} (${formatNumber(Math.min(...values))}–${formatNumber(Math.max(...values))})`
