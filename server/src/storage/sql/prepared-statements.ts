import { LRUCache } from 'lru-cache'
import type { ClientBase } from 'pg'

/** A connection plans so many statements at most. There are few, but clients can think of many sets of fields, and lists of ids have many lengths. */
const MAX_PREPARED = 200

/** What the driver remembers of the statements that a connection has prepared. */
interface Connection {
  parsedStatements: Record<string, unknown>
}

/** How often the tables of a database of this process have changed. */
let changes = 0

/** Told of a statement that was planned for other columns than its tables have now: every connection plans its statements anew. */
export function forgetPlans(): void {
  changes += 1
}

/** The statements that one connection has prepared. */
class PreparedStatements {
  readonly #names: LRUCache<string, string>
  readonly #evicted: string[] = []
  #last = 0
  #changes = changes

  constructor(max: number) {
    this.#names = new LRUCache({ max, dispose: (name) => void this.#evicted.push(name) })
  }

  /** The name under which a text is prepared. No name is used again for another text. */
  nameOf(text: string): string {
    if (this.#changes !== changes) {
      this.#names.clear()
      this.#changes = changes
    }
    const known = this.#names.get(text)
    if (known !== undefined) return known
    this.#last += 1
    const name = `postern-${this.#last}`
    this.#names.set(text, name)
    return name
  }

  get hasEvicted(): boolean {
    return this.#evicted.length > 0
  }

  /** Frees what was evicted, in the server and in the driver. */
  async deallocate(client: ClientBase): Promise<void> {
    const { parsedStatements } = (client as unknown as { connection: Connection }).connection
    for (const name of this.#evicted.splice(0)) {
      if (!(name in parsedStatements)) continue
      delete parsedStatements[name]
      await client.query(`deallocate "${name}"`)
    }
  }
}

const prepared = new WeakMap<ClientBase, PreparedStatements>()

type Statements = Pick<PreparedStatements, 'nameOf'>

/**
 * The prepared statements of a connection that was just taken from its pool: the least recently used are freed first, because within a
 * transaction that failed nothing can be freed. Mostly there are none to free, and nothing is waited for.
 */
export function preparedStatements(client: ClientBase, max: number = MAX_PREPARED): Statements | Promise<Statements> {
  const statements = prepared.get(client) ?? new PreparedStatements(max)
  prepared.set(client, statements)
  return statements.hasEvicted ? statements.deallocate(client).then(() => statements) : statements
}
