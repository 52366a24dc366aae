/** Digits after the point that a decimal keeps. */
const SCALE = 9

const DECIMAL = new RegExp(`^(-?\\d{1,18})(?:\\.(\\d{1,${SCALE}}))?$`)

/** A decimal number as a count of billionths, so that comparing is exact; undefined if the text is none. */
export function parseDecimal(text: string): bigint | undefined {
  const [, whole, fraction = ''] = DECIMAL.exec(text) ?? []
  return whole === undefined ? undefined : BigInt(whole + fraction.padEnd(SCALE, '0'))
}
