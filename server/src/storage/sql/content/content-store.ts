import type { Content } from '../../content.ts'
import type { SqlDatabase } from '../sql-database.ts'
import { ChangeSet } from './change-set.ts'
import { createContentTransaction } from './content-transaction.ts'
import { Counters } from './counters.ts'
import { itemsStatement } from './item-lists.ts'
import { createKeywordPosts } from './keyword-posts.ts'
import { postIdsStatement } from './post-lists.ts'
import { createRelationReader, createRowReader } from './read-objects.ts'
import { noteRemovedPosts, type PostRemoval } from './removed-posts.ts'
import { createPostedMediaReader, createSeenMediaReader } from './seen-media.ts'
import { createTermFrequencies } from './term-frequency.ts'
import { createTermSearch } from './term-search.ts'

/** The data objects, over SQL. */
export function createContent(database: SqlDatabase, removal: PostRemoval, worker: number): Content {
  const { readRows, flavour, inTransaction } = database
  return {
    rows: createRowReader(database),
    relationsOf: createRelationReader(database),
    seenMedia: createSeenMediaReader(database),
    postedMedia: createPostedMediaReader(database),
    async postIds(list, page) {
      const { text, values } = postIdsStatement(list, page, flavour)
      const ids = (await readRows(text, values)).map(([id]) => id as string)
      return page.nextToNewer ? ids.reverse() : ids
    },
    postsWithTerms: createTermSearch(database),
    postsWithKeywords: createKeywordPosts(database),
    termFrequencies: createTermFrequencies(database),
    async items(list, page) {
      const { text, values } = itemsStatement(list, page, flavour)
      const items = (await readRows(text, values)).map(([key, position]) => ({ key: key as string, position: position as string }))
      return page.nextToNewer ? items.reverse() : items
    },
    async change(run) {
      const { result, removedPosts } = await inTransaction(async (trx) => {
        const [counters, removedPosts, changes] = [new Counters(), new Set<string>(), new ChangeSet()]
        const result = await run(createContentTransaction({ trx, flavour, counters, removedPosts, changes, worker }))
        await counters.write(trx, flavour)
        const isNoted = removedPosts.size > 0 && (await noteRemovedPosts(trx, [...removedPosts]))
        return { result: { result, removedPosts: isNoted }, changes: changes.all }
      })
      if (removedPosts) await removal.begin()
      return result
    },
  }
}
