/** `JSON.parse` gives the source of a number, and `JSON.rawJSON` writes it as it was. The types of the language do not have them yet. */
interface ExactJson {
  parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown
  rawJSON(text: string): unknown
}
const exact = JSON as unknown as ExactJson

/** Reads JSON so that `writeExactJson` writes every number as it stood, however large: ids of the advertising API are numbers at times. */
export const readExactJson = (text: string): unknown =>
  exact.parse(text, (_, value, { source }) => (typeof value === 'number' && String(value) !== source ? exact.rawJSON(source!) : value))

/** Of a bigint too every digit is written. */
export const writeExactJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, (_, inner) => (typeof inner === 'bigint' ? exact.rawJSON(String(inner)) : inner), indent)
