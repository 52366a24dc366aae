import type { DataObject } from '../../../../api/objects/data-object.ts'
import type { ObjectKind } from '../content-words.ts'
import { takenId } from '../seed-adder.ts'
import type { ContentLoad } from './content-load.ts'
import { objectsByKind, type SeedObject } from './content-objects.ts'
import { differingFields, readRow, storedRow } from './said-fields.ts'

/** The rows that the database has of objects of a seed, with the columns that the seed says, by key. */
export async function existingObjects(load: ContentLoad, { table }: DataObject, batch: readonly SeedObject[]) {
  const columns = [...new Set([table.key, ...batch.flatMap(({ values }) => Object.keys(values))])]
  const keys = batch.map(({ key }) => key)
  const rows = (await load.content.rows(table, columns, keys)).map((row) => readRow(table, columns, row))
  return new Map(rows.map((row) => [row[table.key] as string, row]))
}

/** Reports the objects that exist already, and answers the others. */
export async function missingObjects(load: ContentLoad, kind: ObjectKind, batch: readonly SeedObject[]): Promise<SeedObject[]> {
  const existing = await existingObjects(load, objectsByKind[kind], batch)
  const missing = new Map<string, SeedObject>()
  for (const object of batch) {
    const row = existing.get(object.key)
    if (row) load.report(kind, { id: object.key, differing: differingFields(object.said, row) })
    else if (missing.has(object.key)) throw takenId(kind, objectsByKind[kind].table.key, object.key)
    else missing.set(object.key, object)
  }
  return [...missing.values()]
}

/** The values of columns that a seed does not say. */
export type Defaults = (object: SeedObject, nowMs: number) => Readonly<Record<string, unknown>>

/** Adds objects that are stored as they are. Answers the keys of those that are new. */
export async function addObjects(load: ContentLoad, kind: ObjectKind, objects: readonly SeedObject[], defaults: Defaults) {
  const { table } = objectsByKind[kind]
  const created = new Set<string>()
  await load.inBatches(objects, async (batch) => {
    const missing = await missingObjects(load, kind, batch)
    if (missing.length === 0) return
    const nowMs = load.services.now()
    const rows = missing.map((object) => storedRow(table, { ...defaults(object, nowMs), ...object.values, [table.key]: object.key }))
    const inserted = new Set(await load.content.change((transaction) => transaction.insertAll(table, rows)))
    for (const { key, values } of missing) {
      if (!inserted.has(key)) throw takenId(kind, table.key, key)
      created.add(key)
      load.created(table, key, values)
      load.report(kind, { id: key })
    }
  })
  return created
}
