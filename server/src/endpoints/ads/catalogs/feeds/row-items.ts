import type { SentItem } from '../products/put-items.ts'
import { attributes } from '../rules/attributes.ts'
import { MAX_IMAGES } from '../rules/web-links.ts'

const known = new Set([...Object.keys(attributes), 'product_key', 'item_group_key'])

/** The attribute that a column or an element names: `g:Sale Price` is `sale_price`. Undefined for any other. */
export function attributeOf(name: string): string | undefined {
  const normal = name.trim().toLowerCase().replace(/^g:/, '').replaceAll(/[ -]/g, '_')
  return known.has(normal) ? normal : undefined
}

/** The text of a row as an attribute has it: a file has no numbers. */
const valueFrom = (name: string, text: string) => (name === 'inventory' && /^\d{1,15}$/.test(text) ? Number(text) : text)

/** The texts of a row that is being read, by attribute. */
export class RowTexts {
  readonly #first = new Map<string, string>()
  readonly #images: string[] = []

  /** Of an attribute that comes several times the first text that is not empty counts. Images are a list; one too many is refused later. */
  add(name: string, text: string) {
    const trimmed = text.trim()
    if (trimmed === '') return
    if (name === 'additional_image_link') {
      if (this.#images.length <= MAX_IMAGES) this.#images.push(trimmed)
    } else if (!this.#first.has(name)) this.#first.set(name, trimmed)
  }

  /** The row as PUT takes a product. The texts of another row come before those of this one. */
  item(preferred?: RowTexts): SentItem {
    const texts = new Map([...this.#first, ...(preferred ? preferred.#first : [])])
    const images = preferred && preferred.#images.length > 0 ? preferred.#images : this.#images
    if (images.length > 0) texts.set('additional_image_link', images.join())
    return Object.fromEntries([...texts].map(([name, text]) => [name, valueFrom(name, text)]))
  }
}
