import type { DatabaseSync } from 'node:sqlite'
import { KEY_BYTES } from './nonce-file.ts'

/** The metadata under which a database knows the key of its used nonces. */
export const NONCES_KEY = 'nonces_key'

const TABLE = `select name from sqlite_schema where type = 'table' and name = 'metadata'`

/** The key of a database's used nonces; undefined before it was recorded. */
export function knownKey(file: DatabaseSync): Buffer | undefined {
  if (!file.prepare(TABLE).get()) return undefined
  const row = file.prepare('select value from metadata where name = ?').get(NONCES_KEY)
  const key = Buffer.from(String(row?.value ?? ''), 'hex')
  return key.length === KEY_BYTES ? key : undefined
}

/** Records the key once. It is no secret of the database: the files that it keys have it too. */
export function recordKey(file: DatabaseSync, key: Buffer): void {
  if (knownKey(file)) return
  file.prepare('insert or replace into metadata (name, value) values (?, ?)').run(NONCES_KEY, key.toString('hex'))
}
