const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 })
const oneDigit = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1, minimumFractionDigits: 1 })

/** `12,345`; with a digit after the point below ten, unless it is a whole number: `2.7`. */
export const inWords = (value: number): string => (value < 10 && !Number.isInteger(value) ? oneDigit : whole).format(value)

/** `12,345 (11,900–12,800)`: the median and how far the samples lie apart. */
export const withSpread = (middle: number, values: readonly number[]): string =>
  `${inWords(middle)} (${inWords(Math.min(...values))}–${inWords(Math.max(...values))})`
