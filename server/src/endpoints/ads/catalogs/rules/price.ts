import { createRequire } from 'node:module'
import type * as Currencies from 'dinero.js/currencies'
import { lazy } from '../../../../lib/lazy.ts'

/** Digits after the point that a decimal keeps. */
const SCALE = 9

const DECIMAL = new RegExp(`^(-?\\d{1,18})(?:\\.(\\d{1,${SCALE}}))?$`)

/** A decimal number as a count of billionths, so that comparing is exact; undefined if the text is none. */
export function parseDecimal(text: string): bigint | undefined {
  const [, whole, fraction = ''] = DECIMAL.exec(text) ?? []
  return whole === undefined ? undefined : BigInt(whole + fraction.padEnd(SCALE, '0'))
}

/** A price: its amount in billionths, so that comparing is exact. */
interface Price {
  amount: bigint
  /** Digits after the point. */
  decimals: number
  currency: string
}

/**
 * Decimals of each currency in ISO 4217. Those whose subunit is a fifth have one in the library's table, and two in the standard's. Loaded with
 * the first price: it would be a noticeable part of a start.
 */
const decimals = lazy(() => {
  const currencies = createRequire(import.meta.url)('dinero.js/currencies') as typeof Currencies
  return new Map(Object.values(currencies).map(({ code, base, exponent }) => [code as string, base === 10 ? exponent : 2]))
})

const PRICE = /^(\d{1,18}(?:\.(\d{1,9}))?) ([A-Z]{3})$/

/** Parses `12.50 USD`; undefined if the text has another form. */
export function parsePrice(text: string): Price | undefined {
  const [, number, fraction = '', currency] = PRICE.exec(text) ?? []
  return number === undefined ? undefined : { amount: parseDecimal(number)!, decimals: fraction.length, currency: currency! }
}

/** Whether ISO 4217 has the currency. */
export const isCurrency = (code: string): boolean => decimals().has(code)

/** Whether a price has no more decimals than its currency. */
export const hasDecimalsOfCurrency = (price: Price): boolean => price.decimals <= (decimals().get(price.currency) ?? 0)
