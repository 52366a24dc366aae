import type { DatabaseSync } from 'node:sqlite'
import type { NonceJournal } from './nonce-journal.ts'

const TABLE = `select name from sqlite_schema where type = 'table' and name = 'nonces'`
const UNEXPIRED = 'select key, expires_at_ms from nonces where expires_at_ms > ?'

/** Adds the nonces that a former version left in a table, which the migrations of this start drop. */
export function addFormerNonces(file: DatabaseSync, nonces: NonceJournal, nowMs: number): void {
  if (!file.prepare(TABLE).get()) return
  for (const { key, expires_at_ms } of file.prepare(UNEXPIRED).iterate(nowMs)) nonces.add(String(key), Number(expires_at_ms))
}
