import type { RawBuilder, Transaction } from 'kysely'
import type { Change } from '../../changes.ts'
import type { WorkQueue } from '../../due-work.ts'
import type { Database } from '../schema.ts'

/** Runs a statement; whether it changed a row. */
export async function changed(trx: Transaction<Database>, statement: RawBuilder<unknown>): Promise<boolean> {
  return ((await statement.execute(trx)).numAffectedRows ?? 0n) > 0n
}

/** What is announced once a transaction is committed, each once. */
export class ChangeSet {
  readonly #changes = new Map<string, Change>()

  addQueue(queue: WorkQueue) {
    this.#changes.set(`due ${queue}`, { kind: 'due', queue })
  }

  addUser(id: string) {
    this.#changes.set(`user ${id}`, { kind: 'user', id })
  }

  get all(): readonly Change[] {
    return [...this.#changes.values()]
  }
}
