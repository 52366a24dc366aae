import { type Kysely, sql } from 'kysely'
import { type Seal, SealError } from '../../lib/seal.ts'
import type { Metadata } from '../metadata.ts'
import type { Database } from './schema.ts'
import { reencryptProof } from './sealing-proof.ts'
import { type SealedColumn, sealedColumns } from './stores/sealed-columns.ts'

const PAGE = 200

/** How many values were re-encrypted, and how many no secret decrypts. */
export interface Reencrypted {
  reencrypted: number
  unreadable: number
}

interface SealedRow {
  key: string
  sealed: string
}

/**
 * Re-encrypts with the first secret every value that is sealed with another one, page by page, and the proof last: once that is sealed with
 * the first secret, the others are not needed. Until then a start without them is refused.
 */
export async function reencrypt(db: Kysely<Database>, metadata: Metadata, seal: Seal): Promise<Reencrypted> {
  const counts: Reencrypted = { reencrypted: 0, unreadable: 0 }
  for (const column of Object.values(sealedColumns)) await reencryptColumn(db, seal, column, counts)
  if (counts.unreadable === 0 && (await reencryptProof(metadata, seal))) counts.reencrypted += 1
  return counts
}

async function reencryptColumn(db: Kysely<Database>, seal: Seal, column: SealedColumn, counts: Reencrypted) {
  let after = ''
  for (let rows = await page(db, column, after); rows.length > 0; rows = await page(db, column, after)) {
    for (const row of rows) await reencryptRow(db, seal, column, row, counts)
    after = rows.at(-1)!.key
  }
}

async function page(db: Kysely<Database>, { table, key, column }: SealedColumn, after: string): Promise<SealedRow[]> {
  const [from, id, value] = [sql.table(table), sql.ref(key), sql.ref(column)]
  const found = await sql<SealedRow>`select ${id} as key, ${value} as sealed from ${from}
    where ${id} > ${after} and ${value} is not null order by ${id} limit ${PAGE}`.execute(db)
  return found.rows
}

/** A value that was changed meanwhile is skipped: it is already sealed with the first secret. */
async function reencryptRow(
  db: Kysely<Database>,
  seal: Seal,
  { table, key, column, purpose }: SealedColumn,
  row: SealedRow,
  counts: Reencrypted,
) {
  try {
    const anew = seal.reencrypt(purpose, row.sealed)
    if (anew === undefined) return
    await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${anew}
      where ${sql.ref(key)} = ${row.key} and ${sql.ref(column)} = ${row.sealed}`.execute(db)
    counts.reencrypted += 1
  } catch (error) {
    if (!(error instanceof SealError)) throw error
    counts.unreadable += 1
  }
}
