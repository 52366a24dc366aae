import { type Kysely, sql } from 'kysely'
import type { Flavour } from '../flavour.ts'
import { newTable } from './new-table.ts'

/**
 * Who is connected to the stream of an app, and when an app used it last. On PostgreSQL also the entries of streams, which belong to the
 * event log: in the order of the events, so that an append writes at the end and a trim deletes at the beginning.
 */
export const addStreams = (flavour: Flavour) => async (db: Kysely<unknown>) => {
  await db.schema.alterTable('apps').addColumn('streamed_at_ms', 'bigint').execute()
  await newTable(db, flavour, 'stream_connections', { id: 'text', app_id: 'text', worker: 'integer', created_at_ms: 'bigint' })
    .addPrimaryKeyConstraint('stream_connections_pkey', ['id'] as never[])
    .addForeignKeyConstraint('stream_connections_app', ['app_id'] as never[], 'apps', ['id'], (it) => it.onDelete('cascade'))
    .execute()
  await db.schema.createIndex('stream_connections_of_app').on('stream_connections').columns(['app_id', 'worker']).execute()
  if (flavour.name === 'sqlite') return
  await sql`create table log_stream (
    sequence bigint not null,
    app_id text collate "C" not null,
    match text not null,
    primary key (sequence, app_id)
  )`.execute(db)
  await sql`create index log_stream_of_app on log_stream (app_id, sequence)`.execute(db)
}
