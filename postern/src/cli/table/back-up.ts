import type { Command } from '../command.ts'

const media = {
  media: {
    type: 'string',
    value: 'store',
    summary:
      'Where media are: a folder, or s3://bucket. Default: POSTERN_MEDIA_STORE, or media beside the SQLite file; PostgreSQL has none.',
  },
  'without-media': { type: 'boolean', summary: 'Leave media out.' },
} as const

/** What reads and makes databases without a server. */
export const backupCommands: readonly Command[] = [
  {
    name: 'backup',
    summary: 'Back up the database, its event logs and media, while servers run, and read the backup back.',
    about:
      'A backup is a folder, which is there once it is complete. Secrets in it stay encrypted: keep POSTERN_SECRET elsewhere. On SQLite it runs on the machine of the server, as its user. With several event logs it reads POSTERN_LOG_URLS.',
    examples: [
      'postern backup backups/2026-11-26',
      { line: 'postern backup backups/2026-11-26 --verify', says: 'read it again, later or elsewhere' },
      'postern backup /backups/now --database postgres://postern@db.internal/postern --without-media',
    ],
    arguments: [{ name: 'folder', summary: 'A new folder; with --verify, a backup.', required: true }],
    options: {
      database: {
        type: 'string',
        value: 'url',
        summary: 'This database alone. Default: POSTERN_DATABASE_URL, or sqlite:.postern/postern.db.',
      },
      ...media,
      verify: { type: 'boolean', summary: 'Make nothing: compare a backup with its manifest.' },
    },
    offline: true,
    load: async () => (await import('../backup/run-backup.ts')).runBackup,
  },
  {
    name: 'restore',
    summary: 'Restore a backup into an empty database, of SQLite also into PostgreSQL.',
    about:
      'The backup is verified first; the database is there whole or not at all. With --as-copy the servers of that database send no event and no challenge and fetch no feed until --release, which calls a running server: so a copy sends nothing that the original sends.',
    examples: [
      'postern restore backups/2026-11-26 --to sqlite:/var/lib/postern/postern.db',
      {
        line: 'postern restore backups/2026-11-26 --to postgres://postern@db.internal/new --media /var/lib/postern/media',
        says: 'move from SQLite to PostgreSQL',
      },
      'postern restore backups/2026-11-26 --to sqlite:/tmp/look/postern.db --as-copy',
      {
        line: 'postern restore backups/2026-11-26 --to postgres://postern@db1.internal/new --log-to 2=postgres://postern@db2.internal/new_log',
        says: 'with a second event log',
      },
      { line: 'postern restore --release', says: 'let a copy send' },
    ],
    arguments: [{ name: 'folder', summary: 'The backup.' }],
    options: {
      to: { type: 'string', value: 'url', summary: 'The new database: sqlite:<file>, or postgres://… of an empty one (createdb).' },
      'log-to': {
        type: 'string',
        value: 'number=url',
        multiple: true,
        summary:
          'An empty PostgreSQL database for an event log of the backup, by its number: for each log beside that in the database of --to.',
      },
      'as-copy': { type: 'boolean', summary: 'Send nothing until it is released.' },
      release: { type: 'boolean', summary: 'Let the running copy send what waits. Takes no folder.' },
      ...media,
    },
    load: async () => (await import('../backup/run-backup.ts')).runRestore,
  },
]
