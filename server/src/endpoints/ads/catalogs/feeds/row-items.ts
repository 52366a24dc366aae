import { pipeline, type Readable } from 'node:stream'
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

/** In characters. */
const MAX_RECORD = 512 * 1024
const MAX_COLUMNS = 200

/** The parser counts the characters of fields alone: a record of empty ones could be as long as the file. */
function assertColumn<T>(value: T, { column }: { column: unknown }): T {
  if ((column as number) >= MAX_COLUMNS) throw new Error(`a row has more than ${MAX_COLUMNS} columns`)
  return value
}

function itemOf(names: readonly (string | undefined)[], row: readonly string[]): SentItem {
  const texts = new RowTexts()
  for (const [column, name] of names.entries()) if (name !== undefined) texts.add(name, row[column] ?? '')
  return texts.item()
}

/** Rows of a CSV or TSV file with a header. Throws for a file that is malformed; its message names the line. */
export async function* readTable(bytes: Readable, format: 'CSV' | 'TSV'): AsyncGenerator<SentItem> {
  const { parse } = await import('csv-parse')
  const parser = parse({
    bom: true,
    cast: assertColumn,
    delimiter: format === 'CSV' ? ',' : '\t',
    max_record_size: MAX_RECORD,
    relax_column_count: true,
    relax_quotes: format === 'TSV',
    skip_empty_lines: true,
  })
  pipeline(bytes, parser, () => {})
  let names: (string | undefined)[] | undefined
  for await (const row of parser) {
    if (names) yield itemOf(names, row)
    else names = (row as string[]).map(attributeOf)
  }
}
