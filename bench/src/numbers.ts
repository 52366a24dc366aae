const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 })

/** `12,345` */
export const inWords = (value: number): string => whole.format(value)

/** `12,345 (11,900–12,800)`: the median and how far the samples lie apart. */
export const withSpread = (middle: number, values: readonly number[]): string =>
  `${inWords(middle)} (${inWords(Math.min(...values))}–${inWords(Math.max(...values))})`
