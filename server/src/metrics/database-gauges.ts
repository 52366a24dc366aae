import { type Family, gauge, type Labels } from './family.ts'

/** What is known of the database and of the processes that share it. What is not known is undefined, and left out. */
export interface DatabaseGauges {
  /** How many live, by role. */
  processes: Readonly<Record<string, number>> | undefined
  /** Bytes by file or table, the largest ones; in all, and of these those of the event log. */
  sizes:
    | {
        parts: readonly { name: string; bytes: number }[]
        totalBytes: number
        logBytes: number
        walBytes: number | null
        disk: Disk | null
      }
    | undefined
  oldestTransactionMs: number | undefined
  feedLagMs: number | undefined
  /** Several event logs, as this process sees them; empty where there is one. */
  logs: readonly { log: number; slots: number; isAway: boolean }[]
  /** By pool of connections; empty on SQLite. */
  waits: readonly { pool: string; waiting: number; waits: number; waitedMs: number }[]
}

interface Disk {
  freeBytes: number
  totalBytes: number
}

const seconds = (ms: number | undefined) => (ms === undefined ? undefined : ms / 1000)

/** One sample for each row. */
const rows = <Row>(
  type: 'counter' | 'gauge',
  name: string,
  help: string,
  all: readonly Row[],
  labels: (row: Row) => Labels,
  value: (row: Row) => number,
): Family => ({ type, name, help, samples: all.map((row) => ({ labels: labels(row), value: value(row) })) })

const sizeFamilies = (sizes: DatabaseGauges['sizes']): Family[] => [
  rows(
    'gauge',
    'postern_database_part_bytes',
    'Size of the files of SQLite, or of the twelve largest tables of PostgreSQL with their indexes.',
    sizes?.parts ?? [],
    ({ name }) => ({ part: name }),
    ({ bytes }) => bytes,
  ),
  gauge('postern_database_bytes', 'Size of the database: all files of SQLite, or the database of PostgreSQL.', sizes?.totalBytes),
  gauge('postern_event_log_bytes', 'Size of the event log, which is part of the database.', sizes?.logBytes),
  gauge('postern_wal_bytes', 'Size of the write-ahead logs, where this user may ask.', sizes?.walBytes ?? undefined),
  gauge('postern_disk_free_bytes', 'Free bytes of the disk of the SQLite files.', sizes?.disk?.freeBytes),
  gauge('postern_disk_bytes', 'Size of the disk of the SQLite files.', sizes?.disk?.totalBytes),
]

const logFamilies = (logs: DatabaseGauges['logs']): Family[] => {
  const labels = ({ log }: { log: number }) => ({ log: String(log) })
  return [
    rows(
      'gauge',
      'postern_log_up',
      'Whether this process can use an event log, where there are several: 1, or 0.',
      logs,
      labels,
      ({ isAway }) => (isAway ? 0 : 1),
    ),
    rows(
      'gauge',
      'postern_log_slots',
      'Slots that are appended to an event log, of 256, where there are several.',
      logs,
      labels,
      ({ slots }) => slots,
    ),
  ]
}

const waitFamilies = (waits: DatabaseGauges['waits']): Family[] => {
  const labels = ({ pool }: { pool: string }) => ({ pool })
  return [
    rows(
      'gauge',
      'postern_connections_awaited',
      'Statements and transactions that wait for a connection to PostgreSQL now, by pool.',
      waits,
      labels,
      ({ waiting }) => waiting,
    ),
    rows(
      'counter',
      'postern_connection_waits_total',
      'Statements and transactions that had to wait, because all connections of their pool were in use.',
      waits,
      labels,
      (of) => of.waits,
    ),
    rows(
      'counter',
      'postern_connection_wait_seconds_total',
      'How long they waited in all.',
      waits,
      labels,
      ({ waitedMs }) => waitedMs / 1000,
    ),
  ]
}

export const databaseFamilies = ({ processes, sizes, oldestTransactionMs, feedLagMs, logs, waits }: DatabaseGauges): Family[] => [
  rows(
    'gauge',
    'postern_processes',
    'Living processes of the database by role: one that does everything counts for each.',
    Object.entries(processes ?? {}),
    ([role]) => ({ role }),
    ([, count]) => count,
  ),
  ...sizeFamilies(sizes),
  ...waitFamilies(waits),
  ...logFamilies(logs),
  gauge(
    'postern_oldest_transaction_seconds',
    'Age of the oldest open transaction in the PostgreSQL database, of whoever; 0 without any.',
    seconds(oldestTransactionMs),
  ),
  gauge('postern_feed_lag_seconds', 'How long a message to the processes takes from its commit until it is heard.', seconds(feedLagMs)),
]
