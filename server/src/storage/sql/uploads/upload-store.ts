import type { Uploads } from '../../uploads.ts'
import type { SqlDatabase } from '../sql-database.ts'
import { createEnds } from './ends.ts'
import { createReception } from './reception.ts'
import { createUploadWork } from './work.ts'

export const createUploads = (database: SqlDatabase, worker: number): Uploads => ({
  ...createReception(database),
  ...createEnds(database),
  ...createUploadWork(database, worker),
})
