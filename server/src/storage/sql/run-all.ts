import { type Kysely, sql } from 'kysely'
import type { Flavour } from './flavour.ts'
import type { Database } from './schema.ts'

/** Runs statements without parameters and results. PostgreSQL is told of all at once: a hundred statements are a hundred round trips. */
export async function runAll(db: Kysely<Database>, flavour: Flavour, statements: readonly string[]): Promise<void> {
  if (statements.length === 0) return
  if (flavour.name === 'postgres') await sql.raw(`do $all$ begin ${statements.join('; ')}; end $all$`).execute(db)
  else for (const statement of statements) await sql.raw(statement).execute(db)
}
