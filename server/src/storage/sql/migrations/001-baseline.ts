import { type Kysely, sql } from 'kysely'
import type { Flavour } from '../flavour.ts'
import { ADVERTISING } from './baseline/advertising.ts'
import { APPS_AND_USERS } from './baseline/apps-and-users.ts'
import { CONTENT } from './baseline/content.ts'
import { POSTGRES_ALONE } from './baseline/postgres-alone.ts'

const STATE = [APPS_AND_USERS, CONTENT, ADVERTISING].join('')

/** The same tables on PostgreSQL: texts sort by code point, as they do on SQLite. */
const STATE_ON_POSTGRES = STATE.replaceAll(/(?<=[(,]\s*\w+) text\b/g, ' text collate "C"')
  .replaceAll('integer primary key autoincrement', 'bigint generated always as identity primary key')
  .replaceAll(' without rowid', '')

/** The tables of version 0.2.0, which resources do not declare. On PostgreSQL they take one round trip. */
export const createBaseline = (flavour: Flavour) => async (db: Kysely<unknown>) => {
  if (flavour.name === 'postgres') await sql.raw(`do $baseline$ begin ${STATE_ON_POSTGRES} ${POSTGRES_ALONE}; end $baseline$`).execute(db)
  else for (const statement of STATE.split(';').filter((one) => one.trim() !== '')) await sql.raw(statement).execute(db)
}
