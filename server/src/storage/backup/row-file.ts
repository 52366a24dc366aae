import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { createGunzip, createGzip } from 'node:zlib'
import { writeNewFile } from './backup-folder.ts'
import { type BackedUpFile, BackupError } from './manifest.ts'

/** Rows as JSON objects, some at once. Numbers of 64 bits stay exact, because nobody here parses them. */
export type RowBatches = AsyncIterable<readonly string[]> | Iterable<readonly string[]>

/** The rows of one table. */
export interface TableRows {
  name: string
  /** The columns that each row has. */
  columns: readonly string[]
  rows: RowBatches
}

/** Writes rows to a compressed file, a line each. */
export async function writeRows(path: string, batches: RowBatches): Promise<Omit<BackedUpFile, 'path'> & { rows: number }> {
  let rows = 0
  const lines = async function* () {
    for await (const batch of batches) {
      rows += batch.length
      if (batch.length > 0) yield `${batch.join('\n')}\n`
    }
  }
  const gzip = createGzip({ level: 1 })
  const source = Readable.from(lines())
  source.on('error', (error) => gzip.destroy(error))
  return { ...(await writeNewFile(path, source.pipe(gzip))), rows }
}

const BATCH_ROWS = 500
const BATCH_CHARACTERS = 1 << 20

/** Reads rows from a file that `writeRows` has written. Throws if it is damaged. */
export async function* readRows(path: string): AsyncGenerator<string[]> {
  const source = createReadStream(path)
  const gunzip = source.pipe(createGunzip()).setEncoding('utf8')
  source.on('error', (error) => gunzip.destroy(error))
  let batch: string[] = []
  let size = 0
  let rest = ''
  try {
    for await (const text of gunzip) {
      const lines = (rest + text).split('\n')
      rest = lines.pop()!
      for (const line of lines) {
        batch.push(line)
        size += line.length
      }
      if (batch.length < BATCH_ROWS && size < BATCH_CHARACTERS) continue
      yield batch
      batch = []
      size = 0
    }
  } catch (error) {
    throw new BackupError(`${path} is damaged: ${(error as Error).message}`)
  }
  if (rest !== '') throw new BackupError(`${path} is damaged: its last row is cut off.`)
  if (batch.length > 0) yield batch
}

/** How many rows a file has. Throws if it is damaged. */
export async function countRows(path: string): Promise<number> {
  let rows = 0
  for await (const batch of readRows(path)) rows += batch.length
  return rows
}
