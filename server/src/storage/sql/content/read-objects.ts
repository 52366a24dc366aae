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

/** The columns of a table, and the table that has them all. */
function selectedFrom(table: ContentTable, columns: readonly string[], by: string) {
  const { name, from = name, alone } = table
  const isAlone = alone && [...columns, by].every((column) => column in alone.columns)
  return `${columns.map((column) => selectColumn(table, column)).join()} from ${isAlone ? alone.name : from}`
}

/**
 * Reads rows by their keys or another column. The texts of the statements are kept for each set of columns. On SQLite a list of one value costs
 * twice what the value does.
 */
export function createRowReader({ readRows, flavour }: Pick<SqlDatabase, 'readRows' | 'flavour'>): Content['rows'] {
  const texts = new LRUCache<string, string>({ max: MAX_TEXTS })
  return async (table: ContentTable, columns: readonly string[], values: readonly string[], by = table.key): Promise<ContentRow[]> => {
    const isNumber = table.columns[by] === 'bigid'
    const asked = isNumber ? values.filter(isStorable) : values
    if (asked.length === 0) return []
    const isOne = flavour.name === 'sqlite' && asked.length === 1
    const [condition, parameter] = isOne
      ? [`${by} = $1`, isNumber ? BigInt(asked[0]!) : asked[0]]
      : isAmong(flavour, by, '$1', asked, isNumber)
    const shape = `${isOne} ${table.name} ${by} ${columns.join()}`
    const text = texts.get(shape) ?? `select ${selectedFrom(table, columns, by)} where ${condition}`
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
