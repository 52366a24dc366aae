import { pipeline, type Readable } from 'node:stream'
import type { SentItem } from '../products/put-items.ts'
import { attributeOf, itemOf } from './row-items.ts'

/** In characters. */
const MAX_RECORD = 512 * 1024

/** Rows of a CSV or TSV file with a header. Throws for a file that is malformed; its message names the line. */
export async function* readTable(bytes: Readable, format: 'CSV' | 'TSV'): AsyncGenerator<SentItem> {
  const { parse } = await import('csv-parse')
  const parser = parse({
    bom: true,
    columns: (header: string[]) => header.map((name) => attributeOf(name) ?? false),
    delimiter: format === 'CSV' ? ',' : '\t',
    group_columns_by_name: true,
    max_record_size: MAX_RECORD,
    relax_column_count: true,
    relax_quotes: format === 'TSV',
    skip_empty_lines: true,
  })
  pipeline(bytes, parser, () => {})
  for await (const row of parser) yield itemOf(row)
}
