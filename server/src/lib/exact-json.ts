import { exactNumber } from './exact-number.ts'
import { wholeNumber } from './long.ts'

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
