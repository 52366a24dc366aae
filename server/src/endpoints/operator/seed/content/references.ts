import type { ErrorDetail } from '../../../../api/declare/problem.ts'
import type { Content } from '../../../../storage/content.ts'
import { objectOfKind } from '../../../objects/index.ts'

/** So many keys are looked up with one statement. */
const BATCH = 500

const inBatches = (keys: readonly string[]) =>
  Array.from({ length: Math.ceil(keys.length / BATCH) }, (_, index) => keys.slice(index * BATCH, (index + 1) * BATCH))

/** What the records of a seed refer to, by the kind of the object and its key, with the places that do. */
export class References {
  readonly #wanted = new Map<string, Map<string, string[]>>()

  add(kind: string, key: string, path: string) {
    const keys = this.#wanted.get(kind) ?? new Map<string, string[]>()
    this.#wanted.set(kind, keys)
    const paths = keys.get(key)
    if (paths) paths.push(path)
    else keys.set(key, [path])
  }

  /** An error for each reference to an object that neither the seed nor the database has. */
  async missing(content: Pick<Content, 'rows'>, isInSeed: (kind: string, key: string) => boolean): Promise<ErrorDetail[]> {
    const errors: ErrorDetail[] = []
    for (const [kind, keys] of this.#wanted) {
      const { table, title } = objectOfKind(kind)
      for (const batch of inBatches([...keys.keys()].filter((key) => !isInSeed(kind, key)))) {
        const found = new Set((await content.rows(table, [table.key], batch)).map(([key]) => key))
        for (const key of batch.filter((key) => !found.has(key)))
          for (const path of keys.get(key)!)
            errors.push({ message: `$.${path}: there is no ${title} ${key}`, parameters: { [path]: [key] } })
      }
    }
    return errors
  }
}
