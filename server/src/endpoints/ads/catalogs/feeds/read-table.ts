import { pipeline, type Readable } from 'node:stream'
import type { SentItem } from '../products/put-items.ts'
import { attributeOf, RowTexts } from './row-items.ts'

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
