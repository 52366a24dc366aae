// The only thread that writes the file of memberships.
import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { serveCalls } from '../../../../lib/thread-calls.ts'
import { nameDamage } from '../../../files/damage.ts'
import { createMemberFile, type MemberFile } from './member-file.ts'
import { openSchema } from './schema.ts'

async function open(path: string): Promise<MemberFile> {
  const db = new DatabaseSync(path)
  try {
    await openSchema(db)
    return createMemberFile(db)
  } catch (error) {
    db.close()
    throw nameDamage(error, 'database', path)
  }
}

if (parentPort) await serveCalls(parentPort, await open(workerData.path))
