import { DatabaseSync } from 'node:sqlite'
import { nameDamage } from '../../files/damage.ts'
import { openSchema } from './schema.ts'
import { createWriter, type Writer } from './writer.ts'

/** Opens the file of a log, or one in memory. */
export async function openWriter(path: string): Promise<Writer> {
  const db = new DatabaseSync(path)
  try {
    return createWriter(db, await openSchema(db), path)
  } catch (error) {
    db.close()
    throw nameDamage(error, 'event log', path)
  }
}
