import type { Content } from '../../content.ts'
import { type SqlDatabase, unannounced } from '../sql-database.ts'
import { Counters, createContentTransaction } from './content-transaction.ts'
import { itemsStatement } from './item-lists.ts'
import { postIdsStatement } from './post-lists.ts'
import { createRelationReader, createRowReader } from './read-objects.ts'
import { byFrequency } from './term-frequency.ts'

/** The data objects, over SQL. `onUnpacked` is called after a commit of posts that the keyword index is to pack. */
export function createContent(database: SqlDatabase, onUnpacked: () => void): Content {
  const { readRows, flavour, inTransaction } = database
  return {
    rows: createRowReader(database),
    relationsOf: createRelationReader(database),
    async postIds(list, page) {
      const sorted = list.of === 'terms' ? { ...list, alternatives: await byFrequency(database, list.alternatives) } : list
      if (sorted.of === 'terms' && sorted.alternatives.length === 0) return []
      const { text, values } = postIdsStatement(sorted, page, flavour)
      const ids = (await readRows(text, values)).map(([id]) => id as string)
      return page.nextToNewer ? ids.reverse() : ids
    },
    async items(list, page) {
      const { text, values } = itemsStatement(list, page, flavour)
      const items = (await readRows(text, values)).map(([key, position]) => ({ key: key as string, position: position as string }))
      return page.nextToNewer ? items.reverse() : items
    },
    async change(run) {
      let hasUnpacked = false
      const result = await inTransaction(async (trx) => {
        const counters = new Counters()
        const result = await run(createContentTransaction(trx, flavour, counters))
        await counters.write(trx, flavour)
        hasUnpacked = counters.hasUnpacked
        return unannounced(result)
      })
      if (hasUnpacked) onUnpacked()
      return result
    },
  }
}
