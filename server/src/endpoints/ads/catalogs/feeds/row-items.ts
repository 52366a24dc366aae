import type { SentItem } from '../products/put-items.ts'
import { attributes } from '../rules/attributes.ts'

const known = new Set([...Object.keys(attributes), 'product_key', 'item_group_key'])

/** The attribute that a column or an element names: `g:Sale Price` is `sale_price`. Undefined for any other. */
export function attributeOf(name: string): string | undefined {
  const normal = name.trim().toLowerCase().replace(/^g:/, '').replaceAll(/[ -]/g, '_')
  return known.has(normal) ? normal : undefined
}

/** The text of a row as an attribute has it: a file has no numbers. */
const valueFrom = (name: string, text: string) => (name === 'inventory' && /^\d{1,15}$/.test(text) ? Number(text) : text)

/** A product as PUT takes it, from the texts of a row. What comes several times is a list, as images may. */
export const itemOf = (row: Readonly<Record<string, string | readonly string[]>>): SentItem =>
  Object.fromEntries(
    Object.entries(row).map(([name, text]) => [
      name,
      valueFrom(name, (typeof text === 'string' ? text : text.filter(Boolean).join()).trim()),
    ]),
  )
