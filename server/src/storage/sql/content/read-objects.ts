import { LRUCache } from 'lru-cache'
import { fitsLong } from '../../../lib/numbers.ts'
import type { Content } from '../../content.ts'
import type { ContentRow, ContentTable, Relation } from '../../content-tables.ts'
import type { SqlDatabase } from '../sql-database.ts'
import { isAmong, selectColumn } from './columns.ts'

/** Ids that a column `bigid` can hold; no other one exists. */
const isStorable = (id: string) => /^(0|[1-9]\d{0,18})$/.test(id) && fitsLong(id)

/** Clients ask for few sets of columns. A stranger can think of many: the texts of the least recently used are built again. */
const MAX_TEXTS = 1000

/** Reads rows by their keys or another column. The texts of the statements are kept for each set of columns. */
export function createRowReader({ readRows, flavour }: Pick<SqlDatabase, 'readRows' | 'flavour'>): Content['rows'] {
  const texts = new LRUCache<string, string>({ max: MAX_TEXTS })
  return async (table: ContentTable, columns: readonly string[], values: readonly string[], by = table.key): Promise<ContentRow[]> => {
    const isNumber = table.columns[by] === 'bigid'
    const asked = isNumber ? values.filter(isStorable) : values
    if (asked.length === 0) return []
    const [condition, parameter] = isAmong(flavour, by, '$1', asked, isNumber)
    const shape = `${table.name} ${by} ${columns.join()}`
    const selected = columns.map((column) => selectColumn(table, column)).join()
    const text = texts.get(shape) ?? `select ${selected} from ${table.from ?? table.name} where ${condition}`
    texts.set(shape, text)
    return (await readRows(text, [parameter])) as ContentRow[]
  }
}

/** Reads which relations exist between one user and others, in either direction. */
export const createRelationReader =
  ({ readRows, flavour }: Pick<SqlDatabase, 'readRows' | 'flavour'>): Content['relationsOf'] =>
  async (userId, others, of) => {
    if (others.length === 0) return []
    const [isTarget, parameter] = isAmong(flavour, 'target', '$2', others, false)
    const [isSource] = isAmong(flavour, 'source', '$2', others, false)
    const kinds = `relation in (${of.map((relation) => `'${relation}'`).join()})`
    const rows = await readRows(
      `select relation, source, target from relations where ${kinds} and source = $1 and ${isTarget}
        union all select relation, source, target from relations where ${kinds} and target = $1 and ${isSource}`,
      [userId, parameter],
    )
    return rows.map(([relation, source, target]) => ({
      relation: relation as Relation,
      source: source as string,
      target: target as string,
    }))
  }
