import * as currencies from 'dinero.js/currencies'
import { parseDecimal } from './decimal.ts'

/** A price: its amount in billionths, so that comparing is exact. */
export interface Price {
  amount: bigint
  /** Digits after the point. */
  decimals: number
  currency: string
}

/** Decimals of a currency in ISO 4217. Those whose subunit is a fifth have one in the library's table, and two in the standard's. */
const decimalsOf = new Map(Object.values(currencies).map(({ code, base, exponent }) => [code as string, base === 10 ? exponent : 2]))

const PRICE = /^(\d{1,18}(?:\.(\d{1,9}))?) ([A-Z]{3})$/

/** Parses `12.50 USD`; undefined if the text has another form. */
export function parsePrice(text: string): Price | undefined {
  const [, number, fraction = '', currency] = PRICE.exec(text) ?? []
  return number === undefined ? undefined : { amount: parseDecimal(number)!, decimals: fraction.length, currency: currency! }
}

/** Whether ISO 4217 has the currency. */
export const isCurrency = (code: string): boolean => decimalsOf.has(code)

/** Whether a price has no more decimals than its currency. */
export const hasDecimalsOfCurrency = ({ currency, decimals }: Price): boolean => decimals <= (decimalsOf.get(currency) ?? 0)
