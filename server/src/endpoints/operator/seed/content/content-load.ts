import type { GiveWay } from '../../../../lib/fair-turns.ts'
import type { ContentTransaction } from '../../../../storage/content.ts'
import type { ContentTable } from '../../../../storage/content-tables.ts'
import type { Added, SeedServices } from '../seed-adder.ts'
import { isCounter } from './said-fields.ts'

/** So many objects are read and written before others get their turn. */
const OBJECTS = 100
/** A relation is a short row and nothing to read. */
export const RELATIONS = 500

type Counting = Pick<ContentTransaction, 'count'>

const nameOf = ({ name }: ContentTable, key: string, column: string) => `${name} ${key} ${column}`

/** One loading of the data objects of a seed. */
export class ContentLoad {
  readonly services: SeedServices
  readonly report: (kind: string, added: Added) => void
  /** Counters of new objects that the seed says: what it loads besides does not change them. */
  readonly #saidCounters = new Set<string>()

  readonly #giveWay: GiveWay

  constructor(services: SeedServices, report: ContentLoad['report'], giveWay: GiveWay) {
    this.services = services
    this.report = report
    this.#giveWay = giveWay
  }

  get content() {
    return this.services.storage.content
  }

  /** Remembers the counters that the seed says of a new object. */
  created(table: ContentTable, key: string, values: object) {
    for (const column of Object.keys(values).filter(isCounter)) this.#saidCounters.add(nameOf(table, key, column))
  }

  /** A transaction that does not change the counters that the seed says. */
  counting<T extends Counting>(transaction: T): T {
    const count: Counting['count'] = (table, key, column, by) => {
      if (!this.#saidCounters.has(nameOf(table, key, column))) transaction.count(table, key, column, by)
    }
    return { ...transaction, count }
  }

  /** Runs `add` for batch after batch, so that other requests get their turn. */
  async inBatches<T>(items: readonly T[], add: (batch: readonly T[]) => Promise<void>, size = OBJECTS): Promise<void> {
    for (let from = 0; from < items.length; from += size) {
      await add(items.slice(from, from + size))
      if (items.length - from > size) await this.#giveWay()
    }
  }
}
