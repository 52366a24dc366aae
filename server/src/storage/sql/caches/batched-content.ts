import { LRUCache } from 'lru-cache'
import type { Content } from '../../content.ts'
import type { ContentRow } from '../../content-tables.ts'
import { createBatchLoader } from '../batch-loader.ts'
import { LOOKUP_OPTIONS } from './batched-lookups.ts'
import { wrapStore } from './wrap-store.ts'

/** Clients ask for few sets of columns, but a stranger can think of many. */
const MAX_SHAPES = 1000

/** Questions for more values are asked alone, so that a batch has no more than 5,000. */
const MAX_VALUES = 10

/** Batches the reads of few rows: those of the same columns by the same column share a statement. */
export function batchContent(content: Content): Content {
  const loaders = new LRUCache<string, (values: readonly string[]) => Promise<ContentRow[]>>({ max: MAX_SHAPES })
  return wrapStore(content, {
    async rows(table, columns, values, by = table.key) {
      const place = columns.indexOf(by)
      if (place === -1 || values.length > MAX_VALUES) return content.rows(table, columns, values, by)
      const shape = `${table.name} ${by} ${columns.join()}`
      const load =
        loaders.get(shape) ??
        createBatchLoader<readonly string[], ContentRow[]>(async (asked) => {
          const rows = await content.rows(table, columns, [...new Set(asked.flat())], by)
          if (asked.length === 1) return [rows]
          const rowsOf = Map.groupBy(rows, (row) => row[place])
          return asked.map((wanted) => [...new Set(wanted)].flatMap((value) => rowsOf.get(value) ?? []))
        }, LOOKUP_OPTIONS)
      loaders.set(shape, load)
      return load(values)
    },
    postIds: 'reads',
    postRows: 'reads',
    postsWithTerms: 'reads',
    postsWithKeywords: 'reads',
    termFrequencies: 'reads',
    items: 'reads',
    seenMedia: 'reads',
    postedMedia: 'reads',
    relationsOf: 'reads',
    change: 'writes',
  })
}
