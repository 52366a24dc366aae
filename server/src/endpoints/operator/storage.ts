import { operator } from '../../access/operator.ts'
import { endpoint } from '../../api/declare/endpoint.ts'
import { integer, iso, listOf, nullable, object, text, timestamp } from '../../api/declare/words.ts'
import type { LogExtent } from '../../storage/event-log.ts'
import { MAX_COUNTED, type Sizes } from '../../storage/sizes.ts'
import type { ServerFacts } from './get-server.ts'

interface Services {
  readRoom: () => Promise<[Sizes, LogExtent]>
  server: ServerFacts
}

const bytes = (description?: string) => integer({ min: 0, ...(description && { description }) })

export const getStorage = endpoint({
  name: 'getStorage',
  route: 'GET /operator/storage',
  section: '§6',
  summary: 'Say how much room the database takes, and how far back events go.',
  description: 'Read at most once a minute.',
  auth: operator,
  params: {},
  answer: object({
    data: object({
      database: text({ description: 'The SQLite file, or the host and the name of the PostgreSQL database.' }),
      total_bytes: bytes('All files of SQLite, or the database on the PostgreSQL server.'),
      parts: listOf(object({ name: text(), bytes: bytes() }), {
        description: 'The files, or the twelve largest tables with their indexes; the largest first. None in memory.',
      }),
      wal_bytes: nullable(
        bytes('The write-ahead logs of the files, or that of the PostgreSQL server. Null where only members of `pg_monitor` may ask.'),
      ),
      disk: nullable(
        object({ free_bytes: bytes(), total_bytes: bytes() }, { description: 'The disk of the files. Null on PostgreSQL and in memory.' }),
      ),
      events: integer({ min: 0, description: `Events in the log, counted up to ${MAX_COUNTED}.` }),
      oldest_event_at: nullable(timestamp({ description: 'When the oldest was accepted; null without any.' })),
    }),
  }),
  async handle(_, { readRoom, server: { database } }: Services) {
    const [{ parts, totalBytes, walBytes, disk }, { events, oldestMs }] = await readRoom()
    return {
      data: {
        database,
        total_bytes: totalBytes,
        parts,
        wal_bytes: walBytes,
        disk: disk && { free_bytes: disk.freeBytes, total_bytes: disk.totalBytes },
        events,
        oldest_event_at: oldestMs === undefined ? null : iso(oldestMs),
      },
    }
  },
})
